// Completeness says how complete a filter is known to be. It decides whether a *no* of the filter is believed.
//
// A filter in front of a database is filled by a feeder, which scans the table and then follows the database's log.
// The feeder vouches for one moment, the *horizon*: every row that was committed before it has its key in the filter.
// Time that has passed since the horizon is the lag. A feeder that stops moves its horizon no more. So the lag grows
// by itself, and nobody has to notice that the feeder has died.
//
//   phase      what the feeder says                              state of the guard
//   kCold      there is no filter, or nobody vouches for it      kCold: everything passes
//   kLoading   the table is being scanned                        kLoading: everything passes
//   kComplete  every row before the horizon is in                kActive if the lag is within the bound,
//                                                                kStale otherwise: everything passes
//
// Example:
//    guard::Completeness seen;
//    seen.phase = guard::FilterPhase::kComplete;
//    seen.horizon_ns = guard::machine_now_ns() - 200'000'000;  // 0.2 s ago
//    const bool believed = guard::state_of(seen, guard::LagBound(), guard::machine_now_ns()) == guard::GuardState::kActive;
//
// Doubt is kStale: a horizon in the future can only come from another boot of the machine or from damage.
#pragma once

#include <chrono>
#include <cstdint>

namespace bloomery::guard {

// Returns the nanoseconds since the machine was started, sleep included (CLOCK_BOOTTIME). All processes of a machine
// read the same clock, and nobody sets it. The value may be up to two ticks of the kernel (8 ms) old, which makes the
// call 6 ns instead of 23. Thread-safe.
std::int64_t machine_now_ns();
// How far machine_now_ns() may be behind.
inline constexpr std::int64_t kClockSlackNs = 8'000'000;

enum class FilterPhase : std::uint8_t { kCold, kLoading, kComplete };

struct Completeness {
  FilterPhase phase = FilterPhase::kCold;
  // The position in the database's log up to which every commit is in the filter. The guard shows it and does not
  // interpret it. For PostgreSQL it is an LSN.
  std::uint64_t position = 0;
  // The bytes of the log behind `position` at the feeder's last report.
  std::uint64_t lag_bytes = 0;
  // The horizon, by machine_now_ns(). A feeder takes the time *before* it asks the database for the end of its log,
  // and vouches for that time once everything up to this end is in the filter. A heartbeat moves it on an idle
  // server.
  std::int64_t horizon_ns = 0;
  // The number of the filter: it changes whenever another filter is swapped in. 0 is unknown.
  std::uint64_t epoch = 0;

  friend bool operator==(const Completeness&, const Completeness&) = default;
};

// How far a filter may be behind. A row that a stranger commits behind the guard's back can be denied this long.
struct LagBound {
  std::chrono::nanoseconds time = std::chrono::seconds(1);
  std::uint64_t bytes = std::uint64_t{16} << 20;
};

enum class GuardState : std::uint8_t { kCold, kLoading, kActive, kStale };

// Returns "cold", "loading", "active" or "stale".
const char* state_name(GuardState state);

// Returns the lag at `now_ns`, never less than 0. It is unlimited unless the phase is kComplete.
std::chrono::nanoseconds lag_at(const Completeness& completeness, std::int64_t now_ns);

// Returns the state at `now_ns`. Only kActive lets the guard believe a *no*. The slack of the clock counts as lag.
// Pure.
GuardState state_of(const Completeness& completeness, const LagBound& bound, std::int64_t now_ns);

}  // namespace bloomery::guard
