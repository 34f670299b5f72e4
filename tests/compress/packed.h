// Texts as gzip members, zstd frames, xz and bzip2 streams, and back through the code under test.
#pragma once

#include <bzlib.h>
#include <cstddef>
#include <cstdint>
#include <lzma.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <zlib.h>
#include <zstd.h>

#include "compress/decompress.h"
#include "tests/base/chunked_source.h"

namespace bloomery {

// kWhole: a finished member or frame.   kFlushed: all of the text, but more could follow, as from a program
// that flushes after a line.
enum class Packing { kWhole, kFlushed };

// One gzip member.
inline std::string gzip_of(std::string_view text, Packing packing = Packing::kWhole) {
  constexpr int kGzip = 16 + MAX_WBITS;
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
  std::string source(text);
  std::string packed(deflateBound(&stream, source.size()) + 16, '\0');  // 16: for the flush
  stream.next_in = reinterpret_cast<Bytef*>(source.data());
  stream.avail_in = static_cast<uInt>(source.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, packing == Packing::kWhole ? Z_FINISH : Z_SYNC_FLUSH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// One zstd frame with a content checksum, as zstd(1) writes it.
inline std::string zstd_of(std::string_view text, Packing packing = Packing::kWhole) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(text.size()) + 16, '\0');
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_compressStream2(context, &out, &in, packing == Packing::kWhole ? ZSTD_e_end : ZSTD_e_flush);
  packed.resize(out.pos);
  ZSTD_freeCCtx(context);
  return packed;
}

// One xz stream with a CRC64, as xz(1) writes it.
inline std::string xz_of(std::string_view text, Packing packing = Packing::kWhole) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_easy_encoder(&stream, 6, LZMA_CHECK_CRC64) != LZMA_OK) {
    return "no encoder";
  }
  std::string packed(lzma_stream_buffer_bound(text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<const std::uint8_t*>(text.data());
  stream.avail_in = text.size();
  stream.next_out = reinterpret_cast<std::uint8_t*>(packed.data());
  stream.avail_out = packed.size();
  const lzma_ret code = lzma_code(&stream, packing == Packing::kWhole ? LZMA_FINISH : LZMA_SYNC_FLUSH);
  if (code != LZMA_STREAM_END) {
    packed = "not packed";
  }
  packed.resize(packed.size() - stream.avail_out);
  lzma_end(&stream);
  return packed;
}

// One bzip2 stream. It has no way to give out less than a block.
inline std::string bzip2_of(std::string_view text) {
  std::string source(text);
  auto size = static_cast<unsigned>(text.size() + text.size() / 100 + 700);
  std::string packed(size, '\0');
  (void)BZ2_bzBuffToBuffCompress(packed.data(), &size, source.data(), static_cast<unsigned>(source.size()), 9,
                                 0, 0);
  packed.resize(size);
  return packed;
}

// All that decompressed() makes of a stream, read `room` bytes at most at a time.
inline Drained unpacked(std::unique_ptr<ByteSource> stream, std::size_t room = std::size_t{1} << 16) {
  const Result<std::unique_ptr<ByteSource>> source = decompressed(std::move(stream), "stream");
  if (!source) {
    return {.text = "", .error = source.error()};
  }
  return drain(**source, room);
}
inline Drained unpacked(Chunks chunks, std::size_t room = std::size_t{1} << 16) {
  return unpacked(std::make_unique<ChunkedSource>(std::move(chunks)), room);
}

}  // namespace bloomery
