// The checksums in the trailer of a table's blocks.
//
//   crc32c   over contents and type byte, masked: rotated right by 15, plus a282ead8
//   xxh32    over contents and type byte
//   xxh64    over contents and type byte, its low 32 bits
//   xxh3     XXH3-64 over the contents, its low 32 bits, xor type byte * 6b9083d9
//
// Sources: LevelDB, doc/table_format.md; RocksDB 7.8.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery::sstable {

// Numbered as in RocksDB's footers.
enum class ChecksumKind : std::uint8_t { kNone = 0, kCrc32c = 1, kXxh32 = 2, kXxh64 = 3, kXxh3 = 4 };
inline constexpr std::uint8_t kLastChecksumKind = 4;

const char* checksum_name(ChecksumKind kind);

// Returns the checksum of a block's contents and the type byte after them, or 0 for kNone.
//   Precondition: !block.empty().
std::uint32_t block_checksum(ChecksumKind kind, std::span<const std::byte> block);

}  // namespace bloomery::sstable
