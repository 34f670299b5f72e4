// The last bytes of a table, which say what it is and where its other parts are.
//
//   LevelDB, and RocksDB's format version 0: 48 bytes
//     metaindex handle, index handle, zeros up to 40 bytes, db4775248b80fb57 little-endian
//   RocksDB's versions 1 to 5: 53 bytes
//     u8 checksum kind, metaindex handle, index handle, zeros up to 40 bytes, u32 version,
//     88e241b785f4cff7 little-endian
//
// Not here: versions 6 and later, which have another layout; they are named in an error.
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
  std::uint64_t offset = 0;  // of the footer: every block ends before it
};

// The magic of the file's last bytes, of any version.
std::optional<TableMagic> table_magic(std::span<const std::byte> file);

// Whether the file ends as a table does, or would but for a damaged byte or two: bytes that are no filter of
// another kind.
bool ends_like_table(std::span<const std::byte> file);

// Errors: kCorruption; kUnsupported for a later version.
Result<Footer> read_footer(std::span<const std::byte> file);

}  // namespace bloomery::sstable
