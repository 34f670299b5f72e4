#include "compress/block_decompress.h"

#include <limits>
#include <string>

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

namespace bloomery {
namespace {

// Bytes that a compressed byte can become at most, rounded up: a copy of 64 bytes takes 2 or more in Snappy,
// one of 258 two bits in deflate, a length byte of LZ4 adds 255; a block of 128 KiB takes 4 in Zstandard.
std::uint64_t best_ratio(BlockCodec codec) {
  switch (codec) {
    case BlockCodec::kSnappy:
      return 64;
    case BlockCodec::kRawDeflate:
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

Error damaged(BlockCodec codec, const std::string& detail) {
  return {ErrorCode::kCorruption, block_codec_name(codec), detail};
}

const char* chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<const char*>(bytes.data());
}
char* chars(std::span<std::byte> bytes) {
  return reinterpret_cast<char*>(bytes.data());
}

bool inflate_raw(std::span<const std::byte> compressed, std::span<std::byte> out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    return false;
  }
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = inflate(&stream, Z_FINISH);
  const bool whole = code == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
  inflateEnd(&stream);
  return whole;
}

// Whether `compressed` became exactly `out`.
bool decompress_into(BlockCodec codec, std::span<const std::byte> compressed, std::span<std::byte> out) {
  switch (codec) {
    case BlockCodec::kSnappy: {
      std::size_t stated = 0;
      return snappy::GetUncompressedLength(chars(compressed), compressed.size(), &stated) &&
             stated == out.size() && snappy::RawUncompress(chars(compressed), compressed.size(), chars(out));
    }
    case BlockCodec::kRawDeflate:
      return inflate_raw(compressed, out);
    case BlockCodec::kLz4:
      return LZ4_decompress_safe(chars(compressed), chars(out), static_cast<int>(compressed.size()),
                                 static_cast<int>(out.size())) == static_cast<int>(out.size());
    case BlockCodec::kZstd:
      return ZSTD_decompress(out.data(), out.size(), compressed.data(), compressed.size()) == out.size();
  }
  return false;
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
  }
  return "unknown";
}

Result<std::uint64_t> stated_size(BlockCodec codec, std::span<const std::byte> compressed) {
  if (codec == BlockCodec::kSnappy) {
    std::size_t size = 0;
    if (!snappy::GetUncompressedLength(chars(compressed), compressed.size(), &size)) {
      return damaged(codec, "expected a length in front, found none");
    }
    return std::uint64_t{size};
  }
  const unsigned long long size = ZSTD_getFrameContentSize(compressed.data(), compressed.size());
  if (codec != BlockCodec::kZstd || size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) {
    return damaged(codec, "expected a frame that states its size");
  }
  return std::uint64_t{size};
}

Result<std::vector<std::byte>> decompress_block(BlockCodec codec, std::span<const std::byte> compressed,
                                                std::uint64_t size_bytes) {
  const std::uint64_t most = best_ratio(codec) * compressed.size();
  if (compressed.size() > kMaxBlockBytes || size_bytes > kMaxBlockBytes || size_bytes > most) {
    return damaged(codec, "expected a block of at most " + std::to_string(most) + " bytes in " +
                              std::to_string(compressed.size()) + ", found the size " +
                              std::to_string(size_bytes));
  }
  std::vector<std::byte> out(size_bytes);
  if (!decompress_into(codec, compressed, out)) {
    return damaged(codec, "expected a block of " + std::to_string(size_bytes) + " bytes, found damaged data");
  }
  return out;
}

}  // namespace bloomery
