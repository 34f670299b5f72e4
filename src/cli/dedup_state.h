// The state of `dedup`: a filter in a file, opened under a lock or made new, and saved from time to time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "cli/dedup_options.h"
#include "dedup/dedup_stream.h"
#include "dedup/state_note.h"

namespace bloomery::cli {

class DedupState final : public Checkpoint {
 public:
  // Opens the file of --state, if it is there, and says what is in it. Nothing when it is not. Errors: when
  // it is in use, damaged, of a type that does not take part, or contradicts the options.
  static Result<std::unique_ptr<DedupState>> open(const DedupWish& wish);
  // Makes the file of a new filter at once, so that a folder that cannot be written is known before the work.
  static Result<std::unique_ptr<DedupState>> create(const DedupWish& wish, AnyFilter filter);

  AnyFilter& filter() { return filter_; }

  LinePipeline::Clock::time_point due() const override { return due_; }
  Status save(const DedupCounts& counts) override;

 private:
  DedupState(const DedupWish& wish, AnyFilter filter) : wish_(wish), filter_(std::move(filter)) {}

  const DedupWish& wish_;
  AnyFilter filter_;
  StateNote before_;  // of the runs before this one
  LinePipeline::Clock::time_point due_;
};

// The hash of a new state's keys: under the secret of --key-file, if it is given.
Result<HashSpec> new_state_hash(const DedupWish& wish);

}  // namespace bloomery::cli
