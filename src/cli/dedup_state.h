// The state of `dedup`: a filter in a file. It is opened under a lock or created, and saved from time to
// time.
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
  // Opens the file of --state and prints what is in it. Returns null if there is no such file. Errors: if it
  // is in use, damaged, of a type that `dedup` does not use, or contradicts the options.
  static Result<std::unique_ptr<DedupState>> open(const DedupWish& wish);
  // Writes the file of a new filter at once, so that a folder that cannot be written is found before the
  // work.
  static Result<std::unique_ptr<DedupState>> create(const DedupWish& wish, AnyFilter filter);

  AnyFilter& filter() { return filter_; }

  LinePipeline::Clock::time_point due() const override { return due_; }
  Status save(const DedupCounts& counts) override;

 private:
  DedupState(const DedupWish& wish, AnyFilter filter) : wish_(wish), filter_(std::move(filter)) {}

  const DedupWish& wish_;
  AnyFilter filter_;
  StateNote before_;  // the counts of earlier runs
  LinePipeline::Clock::time_point due_;
};

// Returns the hash for a new state. With --key-file it is under that secret.
Result<HashSpec> new_state_hash(const DedupWish& wish);

}  // namespace bloomery::cli
