// A FilterSource gives a guard its answers. It is a filter in this process, a file that a feeder keeps current, or a
// key in Redis.
//
// It answers one question at a time, and each answer comes with the completeness of the filter that gave it.
// The guard believes a *no* only if state_of() of that completeness is kActive.
//
// Whoever writes a source keeps these rules:
//
//   1. `seen` is of the same filter as `may_contain`, also while a rebuilt filter is swapped in.
//   2. `seen` is read before the filter's bits are. A feeder sets the bits of a row before it moves the horizon past the
//      row's commit (release), and the source reads the horizon (acquire) before the bits.
//   3. A source that cannot answer (a server is away, a file is damaged, a lease is over) answers `maybe` in phase kCold.
//      It never waits longer than its own limit.
//   4. A filter is offered with kComplete only once the scan of the table is over and the log was followed up to a horizon
//      at or after the scan's begin. If that is in doubt later (a lost slot, another timeline, a changed publication), the
//      phase becomes kCold before anything else happens.
//   5. The horizon of a source never goes back: not by a rebuild, and not when a filter is complete again after kCold.
//      The guard forgets a write of its own once the horizon is past it.
//   6. All calls are thread-safe.
//
// LiveFilter (live_filter.h) is the source for a filter in this process; a feeder that runs here reports to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/guard/completeness.h"

namespace bloomery::guard {

struct Asked {
  bool may_contain = true;
  Completeness seen;
};

// These are what a source knows of its filter, for metrics. A zero means that it does not know.
struct SourceFigures {
  std::uint64_t keys = 0;              // inserted, repeats included
  std::uint64_t bytes = 0;             // of the filter
  double target_fpp = 0;               // that it was made for
  std::int64_t built_ns = 0;           // when the filter that answers was swapped in, by machine_now_ns()
  std::chrono::nanoseconds rebuild{};  // how long its building took, scan and catching up
  std::uint64_t rebuilds = 0;          // that were finished
};

class FilterSource {
 public:
  FilterSource() = default;
  FilterSource(const FilterSource&) = delete;
  FilterSource& operator=(const FilterSource&) = delete;
  virtual ~FilterSource() = default;

  // Answers for the bytes of a key. How a column's value becomes these bytes is agreed between feeder and caller.
  virtual Asked ask(std::string_view key) const = 0;

  // Puts a key in, at once, before the caller commits its row. Whoever asks this filter from now on gets `maybe`,
  // also after a rebuild that is under way is swapped in. Errors: kUnsupported, kIo, kCapacity. A filter that only
  // the feeder writes to answers kUnsupported. The guard remembers open writes by itself, so this does no harm.
  virtual Status insert(std::string_view key) = 0;

  // The completeness alone, for metrics and for a first look.
  virtual Completeness completeness() const = 0;
  virtual SourceFigures figures() const = 0;
};

}  // namespace bloomery::guard
