// The state of `dedup`: a filter in a file, which is opened under a lock or created, and saved periodically.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "cli/dedup_options.h"
#include "dedup/dedup_stream.h"
#include "dedup/event_window.h"
#include "dedup/state_note.h"

namespace bloomery::cli {

class DedupState final : public Checkpoint {
 public:
  // Opens the file of --state and prints a summary of it. Returns null if the file does not exist. Errors: it
  // is in use, damaged, of a type that `dedup` does not use, or contradicts the options. `times` is the clock
  // of a window that is measured by the times of the lines, or null. The clock continues from the time that
  // the state recorded.
  static Result<std::unique_ptr<DedupState>> open(const DedupWish& wish, EventClock* times = nullptr);
  // Creates the file of a new filter and writes it at once, so that an unwritable folder is detected before
  // the work.
  static Result<std::unique_ptr<DedupState>> create(const DedupWish& wish, AnyFilter filter,
                                                    EventClock* times = nullptr);

  AnyFilter& filter() { return filter_; }
  // Returns the number of distinct keys that earlier runs inserted.
  std::uint64_t keys_before() const { return keys_before_; }

  LinePipeline::Clock::time_point due() const override { return due_; }
  Status save(const DedupCounts& counts) override;

 private:
  DedupState(const DedupWish& wish, AnyFilter filter, const EventClock* times)
      : wish_(wish), filter_(std::move(filter)), times_(times) {}

  const DedupWish& wish_;
  AnyFilter filter_;
  const EventClock* times_;
  StateNote before_;  // counts of earlier runs
  std::uint64_t keys_before_ = 0;
  LinePipeline::Clock::time_point due_;
};

// Returns the hash for a new state; with --key-file it is keyed by the file's secret.
Result<HashSpec> new_state_hash(const DedupWish& wish);

}  // namespace bloomery::cli
