#include "compress/block_decompress.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

namespace bloomery {
namespace {

// Returns the most bytes that one compressed byte can expand to, rounded up:
//
//   Snappy      a copy of 64 bytes is encoded in 2 bytes or more
//   deflate     a copy of 258 bytes is encoded in 2 bits
//   LZ4         a length byte adds 255 bytes
//   Zstandard   a block of 128 KiB is encoded in 4 bytes
std::uint64_t best_ratio(BlockCodec codec) {
  switch (codec) {
    case BlockCodec::kSnappy:
      return 64;
    case BlockCodec::kRawDeflate:
    case BlockCodec::kGzip:
    case BlockCodec::kZlib:
      return 1040;
    case BlockCodec::kLz4:
      return 256;
    case BlockCodec::kZstd:
      return std::uint64_t{32} << 10;
  }
  return 1;
}

// The libraries count in int or unsigned int.
constexpr std::uint64_t kMaxBlockBytes = std::numeric_limits<int>::max();

Error damaged_block(BlockCodec codec, const std::string& detail) {
  return {ErrorCode::kCorruption, block_codec_name(codec), detail};
}

const char* chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<const char*>(bytes.data());
}
char* chars(std::span<std::byte> bytes) {
  return reinterpret_cast<char*>(bytes.data());
}

// Returns zlib's windowBits, which selects the format of its input.
constexpr int window_of(BlockCodec codec) {
  return codec == BlockCodec::kRawDeflate ? -MAX_WBITS
         : codec == BlockCodec::kGzip     ? MAX_WBITS + 16
                                          : MAX_WBITS;
}

std::optional<std::size_t> inflated(int window, std::span<const std::byte> compressed,
                                    std::span<std::byte> out) {
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) {
    return std::nullopt;
  }
  std::byte none;  // zlib needs an output address even without output
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.empty() ? &none : out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = inflate(&stream, Z_FINISH);
  const bool whole = code == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole ? std::optional(out.size() - stream.avail_out) : std::nullopt;
}

std::optional<std::size_t> unsnappied(std::span<const std::byte> compressed, std::span<std::byte> out) {
  std::size_t stated = 0;
  const bool whole = snappy::GetUncompressedLength(chars(compressed), compressed.size(), &stated) &&
                     stated <= out.size() &&
                     snappy::RawUncompress(chars(compressed), compressed.size(), chars(out));
  return whole ? std::optional(stated) : std::nullopt;
}

// Kept between blocks: a context has 150 KB, which the library would otherwise allocate and clear for every
// block.
struct ZstdContext {
  ZSTD_DCtx* context = ZSTD_createDCtx();

  ZstdContext() = default;
  ZstdContext(const ZstdContext&) = delete;
  ZstdContext& operator=(const ZstdContext&) = delete;
  ~ZstdContext() { ZSTD_freeDCtx(context); }
};

std::optional<std::size_t> unzstded(std::span<const std::byte> compressed, std::span<std::byte> out) {
  thread_local const ZstdContext zstd;
  if (zstd.context == nullptr) {
    return std::nullopt;
  }
  const std::size_t size =
      ZSTD_decompressDCtx(zstd.context, out.data(), out.size(), compressed.data(), compressed.size());
  return ZSTD_isError(size) != 0 ? std::nullopt : std::optional(size);
}

// Decompresses `compressed` to the beginning of `out` and returns the size. Both spans are at most
// kMaxBlockBytes.
std::optional<std::size_t> decompressed_size(BlockCodec codec, std::span<const std::byte> compressed,
                                             std::span<std::byte> out) {
  switch (codec) {
    case BlockCodec::kSnappy:
      return unsnappied(compressed, out);
    case BlockCodec::kRawDeflate:
    case BlockCodec::kGzip:
    case BlockCodec::kZlib:
      return inflated(window_of(codec), compressed, out);
    case BlockCodec::kLz4: {
      const int size = LZ4_decompress_safe(chars(compressed), chars(out), static_cast<int>(compressed.size()),
                                           static_cast<int>(out.size()));
      return size < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(size));
    }
    case BlockCodec::kZstd:
      return unzstded(compressed, out);
  }
  return std::nullopt;
}

}  // namespace

const char* block_codec_name(BlockCodec codec) {
  switch (codec) {
    case BlockCodec::kSnappy:
      return "snappy";
    case BlockCodec::kRawDeflate:
      return "deflate";
    case BlockCodec::kLz4:
      return "lz4";
    case BlockCodec::kZstd:
      return "zstd";
    case BlockCodec::kGzip:
      return "gzip";
    case BlockCodec::kZlib:
      return "zlib";
  }
  return "unknown";
}

Result<std::uint64_t> stated_size(BlockCodec codec, std::span<const std::byte> compressed) {
  if (codec == BlockCodec::kSnappy) {
    std::size_t size = 0;
    if (!snappy::GetUncompressedLength(chars(compressed), compressed.size(), &size)) {
      return damaged_block(codec, "expected a length in front, found none");
    }
    return std::uint64_t{size};
  }
  const unsigned long long size = ZSTD_getFrameContentSize(compressed.data(), compressed.size());
  if (codec != BlockCodec::kZstd || size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) {
    return damaged_block(codec, "expected a frame that states its size");
  }
  return std::uint64_t{size};
}

Result<std::uint64_t> inflated_size(BlockCodec codec, std::span<const std::byte> compressed,
                                    std::uint64_t most) {
  if (compressed.size() > kMaxBlockBytes) {
    return damaged_block(codec, "expected a block of at most " + std::to_string(kMaxBlockBytes) + " bytes");
  }
  z_stream stream{};
  if (inflateInit2(&stream, window_of(codec)) != Z_OK) {
    return damaged_block(codec, "memory is lacking");
  }
  std::array<Bytef, 16384> out;
  std::uint64_t size = 0;
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  int code = Z_OK;
  while (code == Z_OK && size <= most) {
    stream.next_out = out.data();
    stream.avail_out = out.size();
    code = inflate(&stream, Z_NO_FLUSH);
    size += out.size() - stream.avail_out;
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END && size <= most) {
    return damaged_block(codec, "expected a whole block, found damaged data");
  }
  return std::min(size, most + 1);
}

std::uint64_t largest_size(BlockCodec codec, std::uint64_t compressed_bytes) {
  const std::uint64_t ratio = best_ratio(codec);
  return compressed_bytes > std::numeric_limits<std::uint64_t>::max() / ratio
             ? std::numeric_limits<std::uint64_t>::max()
             : compressed_bytes * ratio;
}

Result<std::size_t> decompress_front(BlockCodec codec, std::span<const std::byte> compressed,
                                     std::span<std::byte> out) {
  if (compressed.size() > kMaxBlockBytes || out.size() > kMaxBlockBytes) {
    return damaged_block(codec, "expected a block of at most " + std::to_string(kMaxBlockBytes) + " bytes");
  }
  if (codec == BlockCodec::kZstd && ZSTD_getDictID_fromFrame(compressed.data(), compressed.size()) != 0) {
    return Error(ErrorCode::kUnsupported, block_codec_name(codec),
                 "expected a frame without a dictionary, found one that needs number " +
                     std::to_string(ZSTD_getDictID_fromFrame(compressed.data(), compressed.size())));
  }
  const auto size = decompressed_size(codec, compressed, out);
  if (!size) {
    return damaged_block(
        codec, "expected a block of at most " + std::to_string(out.size()) + " bytes, found damaged data");
  }
  return *size;
}

Result<std::vector<std::byte>> decompress_block(BlockCodec codec, std::span<const std::byte> compressed,
                                                std::uint64_t size_bytes) {
  const std::uint64_t most = largest_size(codec, compressed.size());
  if (compressed.size() > kMaxBlockBytes || size_bytes > kMaxBlockBytes || size_bytes > most) {
    return damaged_block(codec, "expected a block of at most " + std::to_string(most) + " bytes in " +
                                    std::to_string(compressed.size()) + ", found the size " +
                                    std::to_string(size_bytes));
  }
  std::vector<std::byte> out(size_bytes);
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t size, decompress_front(codec, compressed, out));
  if (size != size_bytes) {
    return damaged_block(codec,
                         "expected a block of " + std::to_string(size_bytes) + " bytes, found damaged data");
  }
  return out;
}

}  // namespace bloomery
