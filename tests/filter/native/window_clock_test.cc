// Time that passed between two readings: a wall clock counts only where the boot clock cannot.
#include "bloomery/filter/window_clock.h"

#include <limits>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

ClockReading reading(int boot, std::uint64_t since_boot_ns, std::int64_t wall_ns) {
  ClockReading made{.boot_id = {}, .since_boot_ns = since_boot_ns, .wall_ns = wall_ns};
  made.boot_id[15] = static_cast<std::byte>(boot);
  return made;
}

TEST(WindowClock, WithinABootTheWallClockIsOfNoEffect) {
  for (const std::int64_t wall : {-1'000'000LL, 0LL, 70LL, 1'000'000LL}) {
    EXPECT_EQ(elapsed_ns(reading(1, 100, 50), reading(1, 170, wall)), 70u);
    EXPECT_EQ(elapsed_ns(reading(1, 100, 50), reading(1, 100, wall)), 0u);
    EXPECT_EQ(elapsed_ns(reading(1, 100, 50), reading(1, 99, wall)), 0u);  // two threads' readings
  }
}

TEST(WindowClock, AcrossBootsOrWithoutAnIdTheWallClockCountsAndNeverBackwards) {
  for (const int boot : {0, 2}) {
    const int before = boot == 0 ? 0 : 1;
    EXPECT_EQ(elapsed_ns(reading(before, 100, 50), reading(boot, 5, 80)), 30u);
    EXPECT_EQ(elapsed_ns(reading(before, 100, 50), reading(boot, 5000, 50)), 0u);
    EXPECT_EQ(elapsed_ns(reading(before, 100, 50), reading(boot, 5000, -50)), 0u);
  }
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(elapsed_ns(reading(1, 0, kLeast), reading(2, 0, kMost)), ~std::uint64_t{0});
  EXPECT_EQ(elapsed_ns(reading(1, 0, kMost), reading(2, 0, kLeast)), 0u);
}

TEST(WindowClock, WhatIsKeptNeverGoesBack) {
  EXPECT_EQ(later_of(reading(1, 100, 50), reading(1, 90, 40)), reading(1, 100, 50));
  EXPECT_EQ(later_of(reading(1, 100, 50), reading(1, 110, 40)), reading(1, 110, 50));
  EXPECT_EQ(later_of(reading(1, 100, 50), reading(2, 5, 40)), reading(2, 5, 50));
  EXPECT_EQ(later_of(reading(1, 100, 50), reading(2, 5, 60)), reading(2, 5, 60));
}

// A machine that sometimes starts at 1970 and sometimes is set at once: what passed passes once.
TEST(WindowClock, AClockThatGoesBackAtSomeStartsPassesOnce) {
  ClockReading kept = reading(1, 100, 1000);
  std::uint64_t passed = 0;
  for (int boot = 2; boot < 12; ++boot) {
    const ClockReading now = reading(boot, 100, boot % 2 == 0 ? 0 : 1030);
    passed += elapsed_ns(kept, now);
    kept = later_of(kept, now);
  }
  EXPECT_EQ(passed, 30u);
}

TEST(WindowClock, TheMachinesGoesOnWithinOneBoot) {
  const ClockReading first = read_machine_clock();
  const ClockReading second = read_machine_clock();
  EXPECT_EQ(first.boot_id, second.boot_id);
  EXPECT_GE(second.since_boot_ns, first.since_boot_ns);
  EXPECT_GT(first.since_boot_ns, 0u);
  EXPECT_LT(first.since_boot_ns >> 63, 1u);
  EXPECT_GT(first.wall_ns, 1'500'000'000'000'000'000);  // 2017
}

}  // namespace
}  // namespace bloomery
