// Snapshots of a store's tables, and tables made of snapshots and of tables of other roots.
//
//   snapshot    flush of all regions at one moment, then table/layout/snapshot_directory.h
//   clone       a table in .tmp, whose files are links to those of the source; then it appears by one rename
//
// A clone's files keep their names, so that a bulk-loaded one keeps its sequence id. Links of HBase are
// resolved. Halves of files and edits of logs become files of their own. All cells keep their mvcc, so the
// sequence ids of the store go on above those of the clone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/store/snapshot.h"
#include "store/store_state.h"
#include "table/layout/root_directory.h"

namespace bloomery::store {

// What is written anew of a file: the rows from `start` on and before `end`, unless that is empty.
struct WrittenRows {
  std::string path = {};
  std::int64_t sequence = -1;  // the greatest sequence id
  std::int64_t now_ms = 0;
  std::string start = {};
  std::string end = {};
};

// Writes a new file of the family. All cells stay, with their mvcc.
Status write_rows(FileSystem& files, const table::StoreFilePointer& file, const FamilySchema& family,
                  const WrittenRows& rows);

Status snapshot_table(StoreState& state, std::string_view table, std::string_view name);
Result<std::vector<SnapshotInfo>> list_snapshots(const table::RootDirectory& root);
Status delete_snapshot(StoreState& state, std::string_view name);
// Returns the new table's name.
Result<std::string> clone_table(StoreState& state, const CloneSource& source, std::string_view new_name);

}  // namespace bloomery::store
