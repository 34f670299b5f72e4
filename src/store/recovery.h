// Opens a store: its tables as their directories say, and the edits that only its logs have.
//
//   1. the lock, and .bloomery/STORE
//   2. each table: descriptor, regions, trackers, files; descriptors against their checksums
//   3. the logs from the oldest on: edits above the greatest sequence id of the family's files are added
//   4. files that no tracker lists, which an interrupted flush left, are removed
//   5. a new log begins, whose header names the last link
//
// What a reader is shown is on the disk before: a process that was killed left names and edits that only the
// operating system had. So directories are synced, and what the newest log has after its mark is written
// anew. A sync alone is not enough after one that failed.
//
// A log that is not the newest ends at the link that the next log names. The newest ends where its entries
// do: what follows was not synced, unless the mark says so. Every other damage is an error, and the store is
// not opened; `bloomery wal repair` says what a log still has.
//
// The time is proportional to the logs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/store/store_options.h"
#include "store/environment.h"
#include "store/store_state.h"

namespace bloomery::store {

// Makes a root and opens it.
Result<std::shared_ptr<StoreState>> make_store(const Environment& environment, const std::string& root,
                                               const StoreOptions& options);
// With `salvages_logs` it takes what can be read of damaged logs, whatever the mark says (repair.h).
Result<std::shared_ptr<StoreState>> open_store(const Environment& environment, const std::string& root,
                                               const StoreOptions& options, bool salvages_logs = false);

// Checks the lists of a family's tracker, and returns how many there are. A list of this store is complete,
// since it gets its name when it is. One that is not is damaged.
Result<std::uint64_t> check_lists(FileSystem& files, const std::string& directory);

// Reads the table's directory and opens its files.
Result<StoreTablePointer> open_table(StoreFiles& files, const table::TableName& name,
                                     const StoreOptions& options, std::int64_t now_ms);

// Gives the regions of a table the families of its new schema. A new one has no edit up to `sequence`, though
// logs may have some of an older family of its name.
Status reopen_families(StoreFiles& files, StoreTableState& table, const TableSchema& schema,
                       const StoreOptions& options, std::int64_t now_ms, std::uint64_t sequence);

}  // namespace bloomery::store
