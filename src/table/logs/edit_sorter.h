// Sorts the edits of logs by store, in bounded memory, into HFiles (logged_file.h). A store is one family of
// one region.
//
//   all edits fit into memory    of each store and log a run in memory
//   else                         of each store one run in a file without a name, which holds edits of all
//                                logs. While edits arrive, each full memory is sorted and becomes a run of
//                                each store; at the end the runs of a store are merged.
//
// A run is sorted as an HFile is: by key, then the greater mvcc. Of edits with equal key and mvcc only the
// one that was added last is kept. So neither an edit that is in several logs nor an overwritten cell of an
// entry counts twice. When a store has kRunsOfMerge runs of a level, these become one run of the next level.
// So the number of open runs is bounded, and each edit is written once for each level.
//
// TableLog::cells counts the edits that are kept. With files on disk, an edit that several logs have counts
// for each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/table/file_of_scan.h"
#include "table/logs/logged_file.h"
#include "table/logs/run_file.h"
#include "wal/byte_arena.h"

namespace bloomery::table {

class EditSorter {
 public:
  static constexpr std::size_t kRunsOfMerge = 32;

  // Keeps a reference to `logs`, which are numbered by the calls of add(). "" as the directory of the spool
  // means the system's folder for temporary files.
  EditSorter(std::vector<TableLog>& logs, std::uint64_t memory_bytes, std::string spool_directory);

  // Returns the number of a new store.
  std::size_t add_store();
  // Copies the cell. The numbers of logs must not descend. Errors: those of the spool.
  Status add(std::size_t store, const Cell& cell, std::uint64_t mvcc, std::size_t log);
  // Sorts what was added, as the last call. files() then has the files of a store.
  Status finish();
  std::vector<LoggedFile> files(std::size_t store);

 private:
  struct Edit {
    Cell cell = {};  // views of arena_
    std::size_t log = 0;
  };
  struct Run {
    LoggedFile file = {};
    std::size_t first_log = 0;
    std::size_t last_log = 0;
    std::size_t level = 0;
    bool has_tags = false;
  };
  struct Store {
    std::vector<const Edit*> edits = {};  // in the order of add()
    std::vector<Run> runs = {};           // from the oldest to the newest; their levels do not ascend
  };

  Status charge(const Store& store, const Cell& cell, std::size_t log);
  Result<Cell> copy_of(const Cell& cell, std::uint64_t mvcc);
  void sort(std::vector<const Edit*>& edits);
  std::string path_of(std::size_t first_log, std::size_t last_log) const;
  Result<Run> write(std::span<const Edit* const> edits, std::shared_ptr<RunFile> bytes) const;
  Result<std::shared_ptr<RunFile>> new_run_on_disk();
  Status spill();
  Status merge_level(Store& store);
  Status merge_from(Store& store, std::size_t begin);
  Status finish_in_memory(Store& store);

  std::vector<TableLog>& logs_;
  std::string spool_directory_;
  std::shared_ptr<EditSpool> spool_;  // null while all edits are in memory
  MemoryShare memory_;
  wal::ByteArena arena_;
  std::deque<Edit> edits_;
  std::vector<Store> stores_;
};

}  // namespace bloomery::table
