// A filter in this process. A feeder fills it, keeps it current, and rebuilds it in the background.
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
//   begin_rebuild    makes a second filter, with its own secret. From now on insert() inserts into both.
//   insert_scanned   inserts into the second one only: the scan of the table.
//   insert           a row from the log, or a write through the guard. It is in before the call returns.
//   finish_rebuild   swaps the second filter in atomically. Running queries finish with the old one.
//   report           moves the horizon of the current filter forward: the filter has the key of every row
//                    that was committed before the horizon (completeness.h).
//   doubt            the current filter is not believed any more, until another one is swapped in.
//
// Invariants: a filter that refused a key (for lack of memory) is never believed again. A rebuild is swapped
// in only if its horizon is not before the latest reported one, so every row that still exists and was in the
// old filter is in the new one.
//
// The keys are hashed by SipHash under a random secret, because attackers may choose them. Each rebuild has
// a new secret, so keys that were found to be false positives of the old filter are no likelier than others
// to pass the new one.
//
// The filter is a ScalableFilter: it grows beyond its capacity, and the next rebuild makes it one layer
// again.
//
// Threads: all calls may run concurrently. A query locks the stripe of its thread, for which only
// finish_rebuild() and similar calls compete.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/default_fpp.h"
#include "bloomery/guard/filter_source.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery::guard {

struct LiveFilterOptions {
  std::uint64_t capacity = 1'000'000;  // capacity of the first filter, in distinct keys
  double fpp = kDefaultFpp;
  // The secret of all filters, for tests. If empty, each filter has a random one.
  std::optional<HashSecret> secret = std::nullopt;
};

class LiveFilter final : public FilterSource {
 public:
  // Makes a cold source. Errors: kInvalidArgument or kCapacity of ScalableFilter::for_capacity(), because the
  // options are tried on a filter that is then discarded.
  static Result<std::shared_ptr<LiveFilter>> make(const LiveFilterOptions& options = {});
  ~LiveFilter() override;

  Asked ask(std::string_view key) const override;
  // Errors: kCapacity if a filter refuses the key. That filter is not believed any more.
  Status insert(std::string_view key) override;
  Completeness completeness() const override;
  SourceFigures figures() const override;

  // Errors: kInvalidArgument if a rebuild is in progress; kInvalidArgument or kCapacity of
  // ScalableFilter::for_capacity().
  Status begin_rebuild(std::uint64_t capacity);
  // Errors: kInvalidArgument if no rebuild is in progress; kCapacity.
  Status insert_scanned(std::string_view key);
  // Errors: kInvalidArgument if no rebuild is in progress, the phase is not kComplete, or the horizon is
  // before the one that was reported; kCapacity if a key was refused. After an error the current filter and
  // the rebuild remain.
  Status finish_rebuild(const Completeness& completeness);
  void abandon_rebuild();

  // Does nothing if no filter is complete. Ignores a horizon that would go back.
  void report(std::uint64_t position, std::uint64_t lag_bytes, std::int64_t horizon_ns);
  void doubt();

  // Sets a callback `heard` that receives every key of insert(), after the insertion; Guard::changed()
  // suits it. Call this before threads use the source. `heard` must not call the source.
  void on_insert(std::function<void(std::string_view key)> heard);

 private:
  struct Filters;
  explicit LiveFilter(std::unique_ptr<Filters> filters);

  std::unique_ptr<Filters> filters_;
};

}  // namespace bloomery::guard
