// Completeness says how up to date a filter is known to be. It decides whether the guard believes a *no* of
// the filter.
//
// A guard queries its filter before the database. A feeder fills the filter: it scans the table and then
// follows the database's log. The feeder certifies one moment, the *horizon*: the filter has the key of
// every row that was committed before it. The time since the horizon is the lag. A feeder that stops no
// longer moves its horizon. So the lag grows by itself, and nobody has to detect that the feeder has died.
//
//   phase      the feeder's state                                state of the guard
//   kCold      there is no filter, or no feeder certifies it     kCold: every query passes
//   kLoading   the feeder is scanning the table                  kLoading: every query passes
//   kComplete  every row before the horizon is in                kActive if the lag is within the bound,
//                                                                kStale otherwise: every query passes
//
// Example:
//    guard::Completeness seen;
//    seen.phase = guard::FilterPhase::kComplete;
//    seen.horizon_ns = guard::machine_now_ns() - 200'000'000;  // 0.2 s ago
//    const bool believed =
//        guard::state_of(seen, guard::LagBound(), guard::machine_now_ns()) == guard::GuardState::kActive;
//
// If in doubt, the state is kStale: a horizon in the future can only come from another boot of the machine
// or from damage.
#pragma once

#include <chrono>
#include <cstdint>

namespace bloomery::guard {

// Returns the nanoseconds since the machine was started, sleep included (CLOCK_BOOTTIME). All processes of
// a machine read the same clock, and nobody sets it. The value may be up to two kernel ticks (8 ms) old; so
// the call costs 6 ns instead of 23. Thread-safe.
std::int64_t machine_now_ns();
// The maximal delay of machine_now_ns().
inline constexpr std::int64_t kClockSlackNs = 8'000'000;

enum class FilterPhase : std::uint8_t { kCold, kLoading, kComplete };

struct Completeness {
  FilterPhase phase = FilterPhase::kCold;
  // The position in the database's log up to which every commit is in the filter. The guard shows it and
  // does not interpret it. In PostgreSQL it is an LSN.
  std::uint64_t position = 0;
  // The bytes of the log after `position` at the feeder's last report.
  std::uint64_t lag_bytes = 0;
  // The horizon, by machine_now_ns(). A feeder reads the time *before* it asks the database for the end of
  // its log, and certifies that time once everything up to this end is in the filter. On an idle server a
  // heartbeat moves the horizon.
  std::int64_t horizon_ns = 0;
  // The number of the filter. It changes whenever another filter is swapped in. 0 is unknown.
  std::uint64_t epoch = 0;

  friend bool operator==(const Completeness&, const Completeness&) = default;
};

// The maximal lag of a filter that is believed. A row that is committed without the guard may be denied
// this long.
struct LagBound {
  std::chrono::nanoseconds time = std::chrono::seconds(1);
  std::uint64_t bytes = std::uint64_t{16} << 20;
};

enum class GuardState : std::uint8_t { kCold, kLoading, kActive, kStale };

// Returns "cold", "loading", "active" or "stale".
const char* state_name(GuardState state);

// Returns the lag at `now_ns`, never less than 0. It is unlimited unless the phase is kComplete.
std::chrono::nanoseconds lag_at(const Completeness& completeness, std::int64_t now_ns);

// Returns the state at `now_ns`. Only in kActive does the guard believe a *no*. The slack of the clock
// counts as lag. Pure.
GuardState state_of(const Completeness& completeness, const LagBound& bound, std::int64_t now_ns);

}  // namespace bloomery::guard
