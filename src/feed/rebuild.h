// Rebuilds a filter from the table, in a thread of its own, while the log continues. The new filter lacks the
// deleted rows.
//
//   1. Counts the rows, for the size, unless the number is known.
//   1. Counts the rows for the capacity, unless their number is known.
//   2. Calls begin_build(): from now on keys of the log go into the new filter too.
//   3. Takes a snapshot at one position of the log, which is after step 2, and scans it.
// So each committed row is in the snapshot, or in the log after step 2, or in both.
//
// While another filter answers, the scan is gentle: its thread has the lowest priority and sleeps after each
// batch, so it works only a share of the time. The server waits for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/base/result.h"
#include "connect/postgres/connection.h"
#include "feed/feed_plan.h"
#include "feed/filter_sink.h"

namespace bloomery::feed {

struct RebuildWish {
  std::string table;                          // as it was observed
  std::uint64_t shape = 0;                    // hash of the observed shape
  std::vector<postgres::Spelling> spellings;  // as they were observed
  // The approximate number of rows, set only if another filter answers meanwhile. The scan is then gentle.
  std::optional<std::uint64_t> rows_beside;
};

class Rebuild {
 public:
  Rebuild(const FeedPlan& plan, RebuildWish wish, FilterSink& sink);
  // Stops the scan, and waits for its end.
  ~Rebuild();
  Rebuild(const Rebuild&) = delete;
  Rebuild& operator=(const Rebuild&) = delete;

  bool is_done() const { return is_done_; }
  // Precondition: is_done().
  const Status& result() const { return result_; }
  std::uint64_t shape() const { return wish_.shape; }
  // Returns the log position of the scan's snapshot. Precondition: is_done(), without an error.
  postgres::Lsn moment() const { return moment_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t without_key() const { return without_key_; }
  // Returns the number of keys that the scan inserted. Precondition: is_done().
  std::uint64_t keys() const { return keys_; }
  double seconds() const;

 private:
  Status build();
  void rest(std::uint64_t since_ns) const;

  const FeedPlan& plan_;
  RebuildWish wish_;
  FilterSink& sink_;
  std::uint64_t began_ns_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> is_done_{false};
  std::atomic<std::uint64_t> rows_{0};
  std::atomic<std::uint64_t> without_key_{0};
  std::atomic<std::uint64_t> keys_{0};
  Status result_;
  postgres::Lsn moment_;
  std::thread thread_;
};

}  // namespace bloomery::feed
