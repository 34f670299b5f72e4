#include "codec/sstable/block_checksum.h"

#include <bit>
#include <cassert>

#include "base/crc32c.h"
#include "hash/xxh.h"

namespace bloomery::sstable {

const char* checksum_name(ChecksumKind kind) {
  switch (kind) {
    case ChecksumKind::kNone:
      return "none";
    case ChecksumKind::kCrc32c:
      return "crc32c";
    case ChecksumKind::kXxh32:
      return "xxh32";
    case ChecksumKind::kXxh64:
      return "xxh64";
    case ChecksumKind::kXxh3:
      return "xxh3";
  }
  return "unknown";
}

std::uint32_t block_checksum(ChecksumKind kind, std::span<const std::byte> block) {
  assert(!block.empty());
  switch (kind) {
    case ChecksumKind::kNone:
      return 0;
    case ChecksumKind::kCrc32c:
      return std::rotr(crc32c(block), 15) + 0xa282ead8U;
    case ChecksumKind::kXxh32:
      return xxh32(block);
    case ChecksumKind::kXxh64:
      return static_cast<std::uint32_t>(xxh64(block));
    case ChecksumKind::kXxh3:
      return static_cast<std::uint32_t>(xxh3_64(block.first(block.size() - 1))) ^
             static_cast<std::uint32_t>(block.back()) * 0x6b9083d9U;
  }
  return 0;
}

}  // namespace bloomery::sstable
