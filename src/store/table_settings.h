// What the attributes of a table say to the store that keeps it.
//
//   attribute            here
//   DURABILITY           of a write that asks for none; USE_DEFAULT is FSYNC_WAL (HBase's is SYNC_WAL)
//   READONLY             true: writes are refused, flushes and compactions go on
//   COMPACTION_ENABLED   false: nothing is compacted in the background, and writers wait for no compaction
//   MEMSTORE_FLUSHSIZE   takes the place of StoreOptions::flush_bytes
//   hbase.hregion.majorcompaction
//                        takes the place of StoreOptions::major_compaction_ms; a family's counts first
//
// MAX_FILESIZE says when HBase splits a region; a store splits none by itself.
#pragma once

#include <cstdint>

#include "bloomery/store/mutation.h"
#include "bloomery/store/store_options.h"
#include "bloomery/table/table_schema.h"

namespace bloomery::store {

struct TableSettings {
  Durability durability = Durability::kFsyncWal;
  bool is_read_only = false;
  bool compacts = true;
  std::uint64_t flush_bytes = 0;
};

// Precondition: the schema passed TableSchema::check().
TableSettings settings_of(const TableSchema& schema, const StoreOptions& options);
// Returns the period of the family's major compactions in milliseconds; 0 is never.
std::uint64_t major_compaction_period(const TableSchema& schema, const FamilySchema& family,
                                      const StoreOptions& options);

}  // namespace bloomery::store
