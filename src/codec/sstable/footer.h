// The footer: the last bytes of a table, which identify the format and locate the metaindex and the index.
//
//   LevelDB, and RocksDB's format version 0: 48 bytes
//     metaindex handle, index handle, zeros up to 40 bytes, db4775248b80fb57 little-endian
//
//   RocksDB's versions 1 to 5: 53 bytes
//     u8 checksum kind, metaindex handle, index handle, zeros up to 40 bytes, u32 version,
//     88e241b785f4cff7 little-endian
//
//   RocksDB's versions 6 and 7: 53 bytes
//     u8 checksum kind, 3e 00 7a 00, u32 checksum of the footer, u32 base checksum,
//     u32 size of the metaindex, 24 bytes, u32 version, 88e241b785f4cff7 little-endian
//     The last 8 of the 24 bytes are zeros. The metaindex ends where the footer begins, and names the index.
//     The checksum covers the 53 bytes with zeros in its own place.
//
// In versions 6 and 7, the checksum of every block and of the footer is increased by a number that
// follows from the base checksum and the offset. A block at another offset, or from another file, then
// has a wrong checksum.
//
// Not supported: later versions, and Pebble's tables (any handles, u32 version, f09faab3 twice). An error
// names them.
// Sources: LevelDB, doc/table_format.md; RocksDB 7.8.3 and 11.8.1; Pebble 2.1, sstable/table.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/base/result.h"
#include "codec/sstable/block_checksum.h"
#include "codec/sstable/block_handle.h"

namespace bloomery::sstable {

enum class TableMagic { kLevelDb, kRocksDb, kPebble };

struct Footer {
  TableMagic magic = TableMagic::kLevelDb;
  std::uint32_t format_version = 0;  // 0 for LevelDB's magic
  ChecksumKind checksum = ChecksumKind::kCrc32c;
  BlockHandle metaindex;
  BlockHandle index;  // in versions 6 and 7 the metaindex contains it, and TableFile::open() reads it
  std::uint32_t base_checksum = 0;  // 0 before version 6
  std::uint64_t offset = 0;         // offset of the footer; every block ends before it
};

// Returns the magic in the file's last bytes, whatever the version.
std::optional<TableMagic> table_magic(std::span<const std::byte> file);

// Returns true if the file ends like a table, or would end so but for a damaged byte or two. Such bytes are
// not a filter of another kind.
bool ends_like_table(std::span<const std::byte> file);

// Returns the number that is added to the checksum of the block or footer at this offset.
std::uint32_t checksum_modifier(const Footer& footer, std::uint64_t offset);

// Errors: kCorruption; kUnsupported for a later format version, and for a table of Pebble.
Result<Footer> read_footer(std::span<const std::byte> file);

}  // namespace bloomery::sstable
