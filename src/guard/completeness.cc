#include "bloomery/guard/completeness.h"

#include <algorithm>
#include <ctime>

namespace bloomery::guard {
namespace {

std::int64_t read_ns(clockid_t clock) {
  std::timespec time{};
  (void)::clock_gettime(clock, &time);  // both clocks exist since Linux 2.6.39
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::int64_t machine_now_ns() {
  // The coarse clock is cheap and advances once a tick. Each thread reads the exact clock only after an
  // advance.
  thread_local std::int64_t coarse_ns = -1;
  thread_local std::int64_t boot_ns = 0;
  const std::int64_t coarse_now = read_ns(CLOCK_MONOTONIC_COARSE);
  if (coarse_now != coarse_ns) {
    coarse_ns = coarse_now;
    boot_ns = read_ns(CLOCK_BOOTTIME);
  }
  return boot_ns;
}

const char* state_name(GuardState state) {
  switch (state) {
    case GuardState::kCold:
      return "cold";
    case GuardState::kLoading:
      return "loading";
    case GuardState::kActive:
      return "active";
    case GuardState::kStale:
      return "stale";
  }
  return "unknown";
}

std::chrono::nanoseconds lag_at(const Completeness& completeness, std::int64_t now_ns) {
  if (completeness.phase != FilterPhase::kComplete) {
    return std::chrono::nanoseconds::max();
  }
  // The horizon may come from a damaged file, so a subtraction that could overflow is avoided.
  if (completeness.horizon_ns < 0) {
    return std::chrono::nanoseconds::max();
  }
  if (completeness.horizon_ns > now_ns) {
    return std::chrono::nanoseconds(0);
  }
  return std::chrono::nanoseconds(now_ns - completeness.horizon_ns);
}

GuardState state_of(const Completeness& completeness, const LagBound& bound, std::int64_t now_ns) {
  if (completeness.phase != FilterPhase::kComplete) {
    return completeness.phase == FilterPhase::kLoading ? GuardState::kLoading : GuardState::kCold;
  }
  const bool is_from_the_future =
      std::max<std::int64_t>(completeness.horizon_ns, 0) - 2 * kClockSlackNs > now_ns;
  const std::chrono::nanoseconds lag = lag_at(completeness, now_ns);
  const std::chrono::nanoseconds slack{kClockSlackNs};
  const bool is_late = lag > bound.time - std::min(bound.time, slack);
  return is_from_the_future || is_late || completeness.lag_bytes > bound.bytes ? GuardState::kStale
                                                                               : GuardState::kActive;
}

}  // namespace bloomery::guard
