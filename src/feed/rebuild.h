// Builds a filter anew from the table, in a thread of its own, while the log goes on. The rows that were deleted are gone from
// it then.
//
//   1. Counts the rows, for the size.
//   2. Lets the sink begin: from now on the log goes into the new filter too.
//   3. Takes a snapshot at one moment of the log, which comes after step 2, and scans it.
//
// So each committed row is in the snapshot or comes with the log behind step 2, or both.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "bloomery/base/result.h"
#include "connect/postgres/connection.h"
#include "feed/feed_plan.h"
#include "feed/filter_sink.h"

namespace bloomery::feed {

class Rebuild {
 public:
  // `table` is the name as it was observed, and `shape` the observation's. `options.stop` is set by the destructor's owner.
  Rebuild(const FeedPlan& plan, std::string table, std::uint64_t shape, FilterSink& sink);
  // Stops the scan, and waits for its end.
  ~Rebuild();
  Rebuild(const Rebuild&) = delete;
  Rebuild& operator=(const Rebuild&) = delete;

  bool is_done() const { return is_done_; }
  // Precondition: is_done().
  const Status& result() const { return result_; }
  std::uint64_t shape() const { return shape_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t without_key() const { return without_key_; }
  double seconds() const;

 private:
  Status build();

  const FeedPlan& plan_;
  std::string table_;
  std::uint64_t shape_;
  FilterSink& sink_;
  std::uint64_t began_ns_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> is_done_{false};
  std::atomic<std::uint64_t> rows_{0};
  std::atomic<std::uint64_t> without_key_{0};
  Status result_;
  std::thread thread_;
};

}  // namespace bloomery::feed
