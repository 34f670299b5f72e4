// A filter in this process, which a feeder fills, keeps current, and rebuilds beside the one that answers.
//
// Example:
//    const auto live = guard::LiveFilter::make({.capacity = 1'000'000, .fpp = 0.001});
//    const std::int64_t horizon = guard::machine_now_ns();        // before the scan begins
//    Status begun = (*live)->begin_rebuild(1'000'000);
//    Status scanned = (*live)->insert_scanned("key of a row");    // one for each row
//    Status swapped = (*live)->finish_rebuild({guard::FilterPhase::kComplete, 0, 0, horizon});
//    const bool maybe = (*live)->ask("key of a row").may_contain;  // true
//
// A feeder's calls:   begin_rebuild (insert_scanned | insert)* (finish_rebuild | abandon_rebuild)
//
//   begin_rebuild    makes a second filter, under a secret of its own. From now on insert() goes into both filters.
//   insert_scanned   goes into the second one only: the scan of the table.
//   insert           a row from the log, or a write through the guard. It is in before the call returns.
//   finish_rebuild   swaps the second filter in whole. Answers that are under way finish with the old one.
//   report           moves the horizon of the filter that answers. It never goes back.
//   doubt            the filter that answers is not believed any more, until another one is swapped in.
//
// Invariants: a filter that refused a key (for want of memory) is never believed again. A rebuild is swapped in only
// if its horizon is not before the one that was reported, so rows that the old filter had are in the new one.
//
// The keys are hashed by SipHash under a random secret, because strangers choose them. Each rebuild takes another
// secret, so keys that were found to pass the old filter pass the new one no more often than others do.
//
// The filter is a ScalableFilter: it grows beyond its capacity, and the next rebuild makes one layer of it again.
//
// Threads: all calls may run together. A question takes a lock of its thread's stripe, which it shares with no writer
// but finish_rebuild() and the like.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/guard/filter_source.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery::guard {

struct LiveFilterOptions {
  std::uint64_t capacity = 1'000'000;  // of the first filter, in distinct keys
  double fpp = 0.001;
  // The secret of all filters, for tests. Nothing: each filter gets a random one.
  std::optional<HashSecret> secret = std::nullopt;
};

class LiveFilter final : public FilterSource {
 public:
  // Makes a cold source. Errors: those of ScalableFilter::for_capacity(), which would come at the first rebuild.
  static Result<std::shared_ptr<LiveFilter>> make(const LiveFilterOptions& options = {});
  ~LiveFilter() override;

  Asked ask(std::string_view key) const override;
  // Errors: kCapacity if a filter refuses the key. That filter is not believed any more.
  Status insert(std::string_view key) override;
  Completeness completeness() const override;
  SourceFigures figures() const override;

  // Errors: kInvalidArgument if a rebuild is under way; those of ScalableFilter::for_capacity().
  Status begin_rebuild(std::uint64_t capacity);
  // Errors: kInvalidArgument if no rebuild is under way; kCapacity.
  Status insert_scanned(std::string_view key);
  // Errors: kInvalidArgument if no rebuild is under way, the phase is not kComplete, or the horizon is before the one
  // that was reported; kCapacity if a key was refused. The filter that answers stays then, and so does the rebuild.
  Status finish_rebuild(const Completeness& completeness);
  void abandon_rebuild();

  // Does nothing if no filter is complete. A horizon that would go back stays where it is.
  void report(std::uint64_t position, std::uint64_t lag_bytes, std::int64_t horizon_ns);
  void doubt();

  // Has `heard` called with every key that insert() gets, after it is in. Guard::changed() is made for it. The call
  // must come before threads use the source. `heard` must not call the source.
  void on_insert(std::function<void(std::string_view key)> heard);

 private:
  struct Filters;
  explicit LiveFilter(std::unique_ptr<Filters> filters);

  std::unique_ptr<Filters> filters_;
};

}  // namespace bloomery::guard
