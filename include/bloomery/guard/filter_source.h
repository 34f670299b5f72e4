// A FilterSource answers the queries of a guard. It is a filter in this process, a file that a feeder keeps
// current, or a key in Redis.
//
// It answers one query at a time, and each answer comes with the completeness of the filter that answered.
// The guard believes a *no* only if state_of() of that completeness is kActive.
//
// An implementation of a source must keep these rules:
//
//   1. `seen` belongs to the same filter as `may_contain`, also while a rebuilt filter is swapped in.
//   2. `seen` is read before the filter's bits are. A feeder sets the bits of a row before it moves the
//      horizon past the row's commit (release), and the source reads the horizon (acquire) before the bits.
//   3. A source that cannot answer (a server is down, a file is damaged, a lease has expired) answers
//      `maybe` in phase kCold. It never waits longer than its own limit.
//   4. A filter is offered with kComplete only after the scan of the table has finished and the log was
//      followed up to a horizon at or after the scan's start. If that is in doubt later (a lost slot,
//      another timeline, a changed publication), the phase becomes kCold before anything else happens.
//   5. The horizon of a source never goes back: not by a rebuild, and not when a filter is complete again
//      after kCold. The guard forgets a write of its own once the horizon is past it.
//   6. All calls are thread-safe.
//
// LiveFilter (live_filter.h) is the source for a filter in this process; a feeder in this process reports
// to it.
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

// The figures of a source about its filter, for metrics. A zero means unknown.
struct SourceFigures {
  std::uint64_t keys = 0;              // inserted, repeats included
  std::uint64_t bytes = 0;             // the size of the filter
  double target_fpp = 0;               // the fpp that it was made for
  std::int64_t built_ns = 0;           // when the current filter was swapped in, by machine_now_ns()
  std::chrono::nanoseconds rebuild{};  // the duration of its build: scan and catching up
  std::uint64_t rebuilds = 0;          // finished rebuilds
};

class FilterSource {
 public:
  FilterSource() = default;
  FilterSource(const FilterSource&) = delete;
  FilterSource& operator=(const FilterSource&) = delete;
  virtual ~FilterSource() = default;

  // Answers for the bytes of a key. Feeder and caller must agree on how a column's value becomes these
  // bytes.
  virtual Asked ask(std::string_view key) const = 0;

  // Inserts a key at once, before the caller commits its row. From now on every query for the key returns
  // `maybe`, also after a running rebuild is swapped in. Errors: kUnsupported, kIo, kCapacity. A filter that
  // only the feeder writes to returns kUnsupported. That is harmless, because the guard remembers open writes
  // by itself.
  virtual Status insert(std::string_view key) = 0;

  // Returns only the completeness, for metrics and for a first look.
  virtual Completeness completeness() const = 0;
  virtual SourceFigures figures() const = 0;
};

}  // namespace bloomery::guard
