#include "hfile/compression.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "compress/hadoop_framing.h"

namespace bloomery::hfile {
namespace {

// The compressions of HBase that are not supported, by number.
constexpr std::pair<std::uint32_t, const char*> kNotRead[] = {
    {0, "LZO"}, {5, "BZIP2"}, {7, "LZMA"}, {8, "BROTLI"}};

}  // namespace

BlockCodec block_codec_of(Compression compression) {
  switch (compression) {
    case Compression::kSnappy:
      return BlockCodec::kSnappy;
    case Compression::kLz4:
      return BlockCodec::kLz4;
    case Compression::kZstd:
      return BlockCodec::kZstd;
    case Compression::kGz:
    case Compression::kNone:
      break;
  }
  return BlockCodec::kGzip;
}

Result<Compression> compression_of(std::uint32_t number, std::uint64_t offset) {
  for (const Compression known :
       {Compression::kNone, Compression::kGz, Compression::kSnappy, Compression::kLz4, Compression::kZstd}) {
    if (number == static_cast<std::uint32_t>(known)) {
      return known;
    }
  }
  const auto* const refused =
      std::ranges::find(kNotRead, number, &std::pair<std::uint32_t, const char*>::first);
  const std::string found =
      refused != std::end(kNotRead) ? refused->second : "number " + std::to_string(number);
  return Error::unsupported("trailer", offset,
                            "expected the compression NONE, GZ, SNAPPY, LZ4 or ZSTD, found " + found);
}

std::uint64_t largest_payload(Compression compression, std::uint64_t stored_bytes) {
  return compression == Compression::kNone ? stored_bytes
                                           : largest_size(block_codec_of(compression), stored_bytes);
}

Status decompress_payload(Compression compression, std::span<const std::byte> stored,
                          std::span<std::byte> out) {
  if (compression == Compression::kZstd) {
    return decompress_hadoop_zstd(stored, out);
  }
  if (compression != Compression::kGz) {
    return decompress_hadoop_frames(block_codec_of(compression), stored, out);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t size, decompress_front(BlockCodec::kGzip, stored, out));
  if (size != out.size()) {
    return Error(ErrorCode::kCorruption, "gzip",
                 "expected " + std::to_string(out.size()) + " bytes, found " + std::to_string(size));
  }
  return {};
}

}  // namespace bloomery::hfile
