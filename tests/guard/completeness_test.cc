// When a *no* is believed: state_of() for every phase, at both bounds, and for horizons that nobody can have written.
#include "bloomery/guard/completeness.h"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace bloomery::guard {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kNow = 1'000'000'000'000;

Completeness complete_after(std::chrono::nanoseconds lag, std::uint64_t lag_bytes = 0) {
  return {FilterPhase::kComplete, 1, lag_bytes, kNow - lag.count()};
}

TEST(Completeness, NothingIsBelievedOfAFilterThatIsNotComplete) {
  EXPECT_EQ(state_of({}, {}, kNow), GuardState::kCold);
  EXPECT_EQ(state_of({FilterPhase::kLoading, 1, 0, kNow}, {}, kNow), GuardState::kLoading);
  EXPECT_EQ(lag_at({}, kNow), std::chrono::nanoseconds::max());
}

TEST(Completeness, TheBoundOfTimeIncludesTheSlackOfTheClock) {
  const LagBound bound{.time = 1s};
  EXPECT_EQ(state_of(complete_after(0s), bound, kNow), GuardState::kActive);
  EXPECT_EQ(state_of(complete_after(1s - std::chrono::nanoseconds(kClockSlackNs)), bound, kNow),
            GuardState::kActive);
  EXPECT_EQ(state_of(complete_after(1s - std::chrono::nanoseconds(kClockSlackNs - 1)), bound, kNow),
            GuardState::kStale);
  EXPECT_EQ(state_of(complete_after(1h), bound, kNow), GuardState::kStale);
}

TEST(Completeness, TheBoundOfBytesIsInclusive) {
  const LagBound bound{.bytes = 100};
  EXPECT_EQ(state_of(complete_after(0s, 100), bound, kNow), GuardState::kActive);
  EXPECT_EQ(state_of(complete_after(0s, 101), bound, kNow), GuardState::kStale);
}

TEST(Completeness, DoubtfulHorizonsAreStale) {
  for (const std::int64_t horizon :
       {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0}, kNow + 3 * kClockSlackNs,
        std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(state_of({FilterPhase::kComplete, 1, 0, horizon}, {}, kNow), GuardState::kStale) << horizon;
  }
}

TEST(Completeness, TheClockIsTheMachinesAndNotFarBehind) {
  for (int i = 0; i < 1000; ++i) {
    std::timespec time{};
    ASSERT_EQ(::clock_gettime(CLOCK_BOOTTIME, &time), 0);
    const std::int64_t before = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    const std::int64_t now = machine_now_ns();
    ASSERT_GE(now, before - kClockSlackNs);
    ASSERT_EQ(::clock_gettime(CLOCK_BOOTTIME, &time), 0);
    ASSERT_LE(now, std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec);
  }
}

TEST(Completeness, StatesHaveNames) {
  EXPECT_EQ(std::string(state_name(GuardState::kCold)), "cold");
  EXPECT_EQ(std::string(state_name(GuardState::kLoading)), "loading");
  EXPECT_EQ(std::string(state_name(GuardState::kActive)), "active");
  EXPECT_EQ(std::string(state_name(GuardState::kStale)), "stale");
}

}  // namespace
}  // namespace bloomery::guard
