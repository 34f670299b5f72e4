// Compacts the files of a store, one family at a time: in the background as compaction_policy.h chooses, and
// on demand.
//
// The background's compaction runs in turns, each of which merges a few MiB. Between two turns the executor
// has time for a flush. After a failure the table is as it was, and the region's next compaction begins a
// minute later. A damaged file is set aside until the store is opened again: compactions leave it where it
// is, so that none drops its cells. A major compaction that is due because time has passed is the
// background's, too.
//
// Threads: all calls from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "store/compaction.h"

namespace bloomery::store {

// What a compactor needs of its store.
class CompactorHost {
 public:
  virtual ~CompactorHost() = default;

  virtual const Environment& environment() const = 0;
  virtual const StoreOptions& options() const = 0;
  virtual StoreFiles& files() = 0;
  // Returns the regions of all tables.
  virtual std::vector<std::shared_ptr<Region>> regions() const = 0;
  // Returns null if there is no such table.
  virtual std::shared_ptr<const TableSchema> schema_of(std::string_view table) const = 0;
  virtual Status health() const = 0;
  virtual void fail(const Error& error) = 0;
  // One flush, one change of tables, one choice or installation of a compaction at a time.
  virtual std::mutex& flush_mutex() = 0;
  // Takes the new files of a region, and writes to the log what was compacted. The caller has flush_mutex().
  virtual Status renew(Region& region, std::string_view description) = 0;
};

enum class CompactionKind {
  kMinor,  // what the background would, until nothing is worth it
  kMajor,  // one file of all, without deleted cells
};

// Ends with its host's executor.
class Compactor : public std::enable_shared_from_this<Compactor> {
 public:
  explicit Compactor(CompactorHost& store) : store_(store) {}
  Compactor(const Compactor&) = delete;
  Compactor& operator=(const Compactor&) = delete;

  // Has the background look for files to compact.
  void wake();
  // Compacts the files of each family of the region. Errors: kCorruption of a file, with its path; kIo. The
  // family is then as it was.
  Status compact(const std::shared_ptr<Region>& region, CompactionKind kind);
  // Ends the background's compaction. Precondition: the executor has stopped.
  void stop() { compaction_.reset(); }

  std::uint64_t compactions() const { return compactions_; }
  std::uint64_t compacted_bytes() const { return compacted_bytes_; }
  std::uint64_t failures() const { return failures_; }
  // The error of the last compaction, if it failed.
  Status health() const;

 private:
  struct ChosenFiles {
    FileRange files = {};
    bool is_major = false;
  };

  void wake_after(std::uint64_t ms);
  void post_turn();
  void take_turn();
  void give_up();
  Result<std::unique_ptr<Compaction>> next();
  FileRange choose_minor(const RegionFamily& family) const;
  FileRange choose_major(const Region& region, const RegionFamily& family);
  ChosenFiles choose(const Region& region, const RegionFamily& family);
  void look_again();
  Status compact_family(const std::shared_ptr<Region>& region, const std::string& name, CompactionKind kind);
  Result<std::unique_ptr<Compaction>> begin(const std::shared_ptr<Region>& region, const std::string& name,
                                            CompactionKind kind);
  Status end(Compaction& compaction, Status merged);
  Status install(Compaction& compaction);
  void pause(Region& region, const Error& error);

  CompactorHost& store_;
  std::atomic<bool> is_busy_ = false;             // one compaction at a time
  std::atomic<int> waiting_ = 0;                  // calls of compact() that the background lets pass
  std::unique_ptr<Compaction> compaction_;        // of the background
  std::set<std::string, std::less<>> set_aside_;  // paths of damaged files; guarded by the flush mutex
  // When the next major compaction of a family is due, in ms since 1970, and for when a timer was set, in
  // steady ms. Of the background.
  std::optional<std::int64_t> due_ms_;
  std::uint64_t timer_ms_ = 0;
  std::atomic<std::uint64_t> compactions_ = 0, compacted_bytes_ = 0, failures_ = 0;
  mutable std::mutex health_mutex_;
  Status health_;
};

}  // namespace bloomery::store
