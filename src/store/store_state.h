// A store at work: its tables, its log, and the writers' queue.
//
//   commit() ──> CommitQueue ──> lead(): StoreLog, then Region::apply(), then the read point
//   flush()  ──> freeze, HFiles, trackers, settle, and logs that are no longer needed leave
//   compactor.h makes fewer files of many, and deletes what no read can see
//
// Sequence ids count the writes of all tables, so they ascend in each region, as HBase wants it. An entry of
// the log has one, and its cells have it as mvcc. After a failed write or sync the store is read-only until
// it is opened again: what the disk has is unknown, and nothing is retried. So it is without memory.
//
// flush(), close(), fail() and the jobs of the executor do not throw. Other calls may throw std::bad_alloc,
// which the public classes return as kCapacity.
//
// Locks, in the order in which they are taken: rows (row_locks.h), flush_mutex_, the queue, tables_mutex_.
//
// Thread-safe, but for open.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/store/mutation.h"
#include "bloomery/store/store_counters.h"
#include "bloomery/store/store_options.h"
#include "bloomery/table/split_keys.h"
#include "store/commit_queue.h"
#include "store/compactor.h"
#include "store/environment.h"
#include "store/region.h"
#include "store/row_locks.h"
#include "store/store_files.h"
#include "store/store_log.h"

namespace bloomery::store {

// A table of the store. Its regions never change; its schema does when it is altered.
struct StoreTableState {
  std::atomic<std::shared_ptr<const TableSchema>> schema = {};
  std::vector<std::shared_ptr<Region>> regions = {};  // ascending by start row; they cover all rows

  Region& region_of(std::string_view row) const;
};

using StoreTablePointer = std::shared_ptr<StoreTableState>;

class StoreState final : public CompactorHost, public std::enable_shared_from_this<StoreState> {
 public:
  StoreState(const Environment& environment, const StoreOptions& options, StoreFiles files);

  const Environment& environment() const override { return environment_; }
  const StoreOptions& options() const override { return options_; }
  StoreFiles& files() override { return files_; }
  const StoreFiles& files() const { return files_; }
  RowLocks& rows() { return rows_; }
  std::uint64_t read_point() const { return read_point_.load(std::memory_order_acquire); }
  StoreCounters counters() const;

  // Returns null if there is no such table.
  StoreTablePointer table(std::string_view name) const;
  std::vector<std::string> tables() const;
  std::vector<std::shared_ptr<Region>> regions() const override;
  std::shared_ptr<const TableSchema> schema_of(std::string_view table) const override;
  void add_table(const std::string& name, StoreTablePointer table);
  void remove_table(const std::string& name);
  // Returns an id for new regions of a table that begin at `splits`: the time, or more if that gave a region
  // the name of one that is gone, whose edits logs may have.
  std::uint64_t new_region_id(const table::TableName& table, const SplitKeys& splits);
  // Of open: logs have edits of a region that is not there.
  void note_gone_region(std::string_view encoded_name) { gone_regions_.emplace(encoded_name); }

  // Writes cells to a region, atomically. Errors: kCapacity if memory is full and the write does not wait;
  // the error that made the store read-only.
  Status commit(Region& region, std::span<const Cell> cells, const WriteOptions& options);
  // Runs `work` while no write is led, unless the store is read-only.
  Status run_alone(const std::function<Status()>& work);

  // Changes tables while nobody writes and nothing is flushed. `work` is told the newest sequence id. An
  // error of the disk makes the store read-only.
  Status change_tables(const std::function<Status(std::uint64_t sequence)>& work);
  // Is change_tables() in the hands of one who has flush_mutex().
  Status change_tables_alone(const std::function<Status(std::uint64_t sequence)>& work);
  // Makes all later sequence ids greater than this one, which files of a new table have. Of `work`.
  void raise_sequence(std::uint64_t sequence);
  // Ends the writes to a region that is dropped, and forgets its memory. Of `work` of change_tables().
  void drop(Region& region);

  // Writes the region's memstores to files, up to this sequence id, without a marker. Of `work` of
  // change_tables(), or before there is a log.
  Status write_memory(Region& region, std::uint64_t sequence);

  // Writes the region's memstores to files. Returns when they are on the disk.
  Status flush(const std::shared_ptr<Region>& region) { return flush({&region, 1}, nullptr); }
  // Writes the memstores of the regions at one moment between two writes. Then, unless it is null, runs
  // `then` before another flush, compaction or change of tables. Its error is returned and is no other's.
  Status flush(std::span<const std::shared_ptr<Region>> regions, const std::function<Status()>& then);
  // The error that made the store read-only, if any.
  Status health() const override;
  // Returns the error of every call after close().
  Status check_open() const;
  Compactor& compactor() { return *compactor_; }
  std::mutex& flush_mutex() override { return flush_mutex_; }
  Status renew(Region& region, std::string_view description) override;
  // Makes the store read-only.
  void fail(const Error& error) override;

  // Of open: the sequence id of the newest edit that was found, and the log.
  // Old logs that have no needed edit leave.
  Status begin(std::uint64_t sequence, std::unique_ptr<StoreLog> log);
  // Adds an edit that a log has, and flushes if memory is full.
  Status replay(const std::shared_ptr<Region>& region, std::span<const Cell> cells, std::uint64_t sequence);
  // Flushes all, and closes the log.
  Status close();

 private:
  void lead(std::span<Write* const> group);
  Status lead_writes(std::span<Write* const> group);
  Status lead_alone(const std::function<Status()>& work);
  Status append(const Write& write);
  Status make_durable(std::span<Write* const> group);
  Status apply(std::span<Write* const> group);
  void want_flush(Region& region);
  void want_flushes_of_old_logs();
  void tend_later();
  bool has_room(const Region& region) const;
  Status wait_for_room(Region& region, const WriteOptions& options);
  Status flush_alone(std::span<const std::shared_ptr<Region>> regions);
  Status settle(Region& region, std::uint64_t sequence);
  Status flush_and_close_log();
  std::uint64_t settled_sequence() const;
  std::shared_ptr<Region> biggest_region() const;
  std::shared_ptr<Region> shared(const Region& region) const;

  Environment environment_;
  StoreOptions options_;
  StoreFiles files_;
  RowLocks rows_;
  CommitQueue queue_;
  std::mutex flush_mutex_;  // one flush at a time
  mutable std::mutex tables_mutex_;
  std::map<std::string, StoreTablePointer, std::less<>> tables_;
  std::uint64_t last_region_id_ = 0;    // of all regions since open; guarded by tables_mutex_
  std::set<std::string> gone_regions_;  // those before
  mutable std::mutex health_mutex_;
  Status health_;
  std::atomic<bool> is_read_only_ = false;
  std::atomic<std::uint64_t> memory_bytes_ = 0;
  std::atomic<std::uint64_t> read_point_ = 0;
  std::atomic<bool> is_closed_ = false;
  std::atomic<std::uint64_t> flushes_ended_ = 0;  // also of regions without edits, and those that failed
  std::atomic<std::uint64_t> writes_ = 0, groups_ = 0, syncs_ = 0, flushes_ = 0, waits_ = 0;

  std::shared_ptr<Compactor> compactor_;

  // The members below belong to the leader.
  std::unique_ptr<StoreLog> log_;
  std::uint64_t sequence_ = 0;
  wal::LogEntry entry_;
  bool is_tending_ = false;
};

}  // namespace bloomery::store
