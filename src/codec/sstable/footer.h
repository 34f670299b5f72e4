// The footer: the last bytes of a table, which say what it is and where its other parts are.
//
//   LevelDB, and RocksDB's format version 0: 48 bytes
//     metaindex handle, index handle, zeros up to 40 bytes, db4775248b80fb57 little-endian
//
//   RocksDB's versions 1 to 5: 53 bytes
//     u8 checksum kind, metaindex handle, index handle, zeros up to 40 bytes, u32 version,
//     88e241b785f4cff7 little-endian
//
// Not here: versions 6 and later, which have another layout. An error names them.
// Sources: LevelDB, doc/table_format.md; RocksDB 7.8.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/base/result.h"
#include "codec/sstable/block_checksum.h"
#include "codec/sstable/block_handle.h"

namespace bloomery::sstable {

enum class TableMagic { kLevelDb, kRocksDb };

struct Footer {
  TableMagic magic = TableMagic::kLevelDb;
  std::uint32_t format_version = 0;  // 0 for LevelDB's magic
  ChecksumKind checksum = ChecksumKind::kCrc32c;
  BlockHandle metaindex;
  BlockHandle index;
  std::uint64_t offset = 0;  // where the footer begins; every block ends before it
};

// Returns the magic in the file's last bytes, whatever its version.
std::optional<TableMagic> table_magic(std::span<const std::byte> file);

// Whether the file ends like a table, or would if a byte or two were not damaged. Such bytes are not a filter
// of another kind.
bool ends_like_table(std::span<const std::byte> file);

// Errors: kCorruption; kUnsupported for a later format version.
Result<Footer> read_footer(std::span<const std::byte> file);

}  // namespace bloomery::sstable
