#include "compress/block_compress.h"

#include <algorithm>
#include <string>

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

namespace bloomery {
namespace {

constexpr std::size_t kMaxInputBytes = LZ4_MAX_INPUT_SIZE;  // the smallest limit of the libraries
constexpr int kZstdLevel = 3;
constexpr std::size_t kGzipHeaderBytes = 10;

Error failed(BlockCodec codec, const std::string& detail) {
  return Error::capacity(block_codec_name(codec), detail);
}

}  // namespace

struct BlockCompressor::State {
  State(BlockCodec which, ZstdForm form) : codec(which), zstd_form(form) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    deflateEnd(&zlib);
    ZSTD_freeCCtx(zstd);
  }

  bool start() {
    constexpr int kGzipWindow = 16 + MAX_WBITS;
    constexpr int kMemoryLevel = 8;
    switch (codec) {
      case BlockCodec::kGzip:
        return deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                            Z_DEFAULT_STRATEGY) == Z_OK;
      case BlockCodec::kZstd:
        zstd = ZSTD_createCCtx();
        return zstd != nullptr &&
               ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, kZstdLevel)) == 0;
      default:
        return true;
    }
  }

  // Returns 0 if the result does not fit.
  std::size_t deflated(std::span<const std::byte> block, std::span<std::byte> out) {
    deflateReset(&zlib);
    deflateSetHeader(&zlib, &gzip_header);
    zlib.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(block.data()));
    zlib.avail_in = static_cast<uInt>(block.size());
    zlib.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib.avail_out = static_cast<uInt>(out.size());
    return deflate(&zlib, Z_FINISH) == Z_STREAM_END ? out.size() - zlib.avail_out : 0;
  }

  // Returns 0 if the result does not fit.
  std::size_t zstd_frame(std::span<const std::byte> block, std::span<std::byte> out) {
    if (zstd_form == ZstdForm::kStreamed) {
      return zstd_stream(block, out);
    }
    const std::size_t size =
        ZSTD_compressCCtx(zstd, out.data(), out.size(), block.data(), block.size(), kZstdLevel);
    return ZSTD_isError(size) != 0 ? 0 : size;
  }

  // Hadoop's class fills a buffer, and flushes the stream after each full buffer. Returns 0 if the result
  // does not fit.
  std::size_t zstd_stream(std::span<const std::byte> block, std::span<std::byte> out) {
    const std::size_t buffer_bytes = ZSTD_CStreamOutSize();
    ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only);
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const auto put = [&](std::span<const std::byte> piece, ZSTD_EndDirective then) {
      ZSTD_inBuffer input{piece.data(), piece.size(), 0};
      return ZSTD_compressStream2(zstd, &output, &input, then) == 0 && input.pos == input.size;
    };
    bool fits = true;
    while (fits && !block.empty()) {
      const auto piece = block.first(std::min(buffer_bytes, block.size()));
      block = block.subspan(piece.size());
      fits = put(piece, piece.size() == buffer_bytes ? ZSTD_e_flush : ZSTD_e_continue);
    }
    // The end is a separate call, because a stream that ends with its first call would state its size.
    return fits && put({}, ZSTD_e_end) ? output.pos : 0;
  }

  BlockCodec codec;
  ZstdForm zstd_form;
  z_stream zlib{};
  gz_header gzip_header{};  // all zero
  ZSTD_CCtx* zstd = nullptr;
};

BlockCompressor::BlockCompressor(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlockCompressor::BlockCompressor(BlockCompressor&&) noexcept = default;
BlockCompressor& BlockCompressor::operator=(BlockCompressor&&) noexcept = default;
BlockCompressor::~BlockCompressor() = default;

Result<BlockCompressor> BlockCompressor::create(BlockCodec codec, ZstdForm zstd_form) {
  if (codec == BlockCodec::kRawDeflate || codec == BlockCodec::kZlib) {
    return Error(ErrorCode::kUnsupported, block_codec_name(codec), "expected a codec that is written here");
  }
  auto state = std::make_unique<State>(codec, zstd_form);
  if (!state->start()) {
    return failed(codec, "not enough memory to begin");
  }
  return BlockCompressor(std::move(state));
}

BlockCodec BlockCompressor::codec() const {
  return state_->codec;
}

std::size_t BlockCompressor::largest_compressed(std::size_t size_bytes) const {
  switch (state_->codec) {
    case BlockCodec::kSnappy:
      return snappy::MaxCompressedLength(size_bytes);
    case BlockCodec::kLz4:
      return size_bytes + size_bytes / 255 + 16;
    case BlockCodec::kZstd:
      return ZSTD_compressBound(size_bytes);
    case BlockCodec::kRawDeflate:
    case BlockCodec::kZlib:
    case BlockCodec::kGzip:
      break;
  }
  return compressBound(size_bytes) + kGzipHeaderBytes + 8;
}

Result<std::size_t> BlockCompressor::compress(std::span<const std::byte> block, std::span<std::byte> out) {
  if (block.size() > kMaxInputBytes) {
    return failed(state_->codec, "expected a block of at most " + std::to_string(kMaxInputBytes) +
                                     " bytes, found " + std::to_string(block.size()));
  }
  const char* const from = reinterpret_cast<const char*>(block.data());
  char* const to = reinterpret_cast<char*>(out.data());
  std::size_t size = 0;
  switch (state_->codec) {
    case BlockCodec::kSnappy:
      snappy::RawCompress(from, block.size(), to, &size);
      break;
    case BlockCodec::kLz4:
      size = static_cast<std::size_t>(
          LZ4_compress_default(from, to, static_cast<int>(block.size()), static_cast<int>(out.size())));
      break;
    case BlockCodec::kZstd:
      size = state_->zstd_frame(block, out);
      break;
    case BlockCodec::kRawDeflate:
    case BlockCodec::kZlib:
    case BlockCodec::kGzip:
      size = state_->deflated(block, out);
  }
  if (size == 0) {
    return failed(state_->codec, "a block of " + std::to_string(block.size()) + " bytes was not compressed");
  }
  return size;
}

}  // namespace bloomery
