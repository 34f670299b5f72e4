#include "hfile/block_checksum.h"

#include <algorithm>
#include <cassert>
#include <string>

#include <zlib.h>

#include "base/crc32c.h"
#include "base/endian.h"

namespace bloomery::hfile {
namespace {

const char* checksum_name(ChecksumType type) {
  switch (type) {
    case ChecksumType::kNull:
      return "zero";
    case ChecksumType::kCrc32:
      return "CRC-32";
    case ChecksumType::kCrc32c:
      return "CRC-32C";
  }
  return "unknown";
}

}  // namespace

std::uint32_t block_checksum(ChecksumType type, std::span<const std::byte> run) {
  switch (type) {
    case ChecksumType::kNull:
      return 0;
    case ChecksumType::kCrc32:
      return static_cast<std::uint32_t>(
          crc32(0, reinterpret_cast<const Bytef*>(run.data()), static_cast<uInt>(run.size())));
    case ChecksumType::kCrc32c:
      return crc32c(run);
  }
  return 0;
}

Status verify_block_checksums(const BlockHeader& header, std::span<const std::byte> block,
                              std::uint64_t offset) {
  assert(block.size() == header.on_disk_bytes);
  const std::byte* stored = block.data() + header.checked_bytes;
  std::span<const std::byte> left = block.first(header.checked_bytes);
  for (; !left.empty(); stored += 4) {
    const auto run = left.first(std::min<std::size_t>(left.size(), header.bytes_per_checksum));
    const std::uint32_t expected = load_big32(stored);
    const std::uint32_t found = block_checksum(header.checksum, run);
    if (expected != found) {
      return Error::corruption(block_kind_name(header.kind), offset,
                               std::string("the ") + checksum_name(header.checksum) + ' ' +
                                   std::to_string(expected) + " of the bytes from " +
                                   std::to_string(offset + header.checked_bytes - left.size()),
                               found);
    }
    left = left.subspan(run.size());
  }
  return {};
}

}  // namespace bloomery::hfile
