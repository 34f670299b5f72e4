// A slot is given up when it holds more of the server's log than it may, but not while its feeder keeps up.
#include "feed/held_log.h"

#include <string>

#include <gtest/gtest.h>

namespace bloomery::feed {
namespace {

constexpr std::uint64_t kMost = 1000;
constexpr std::uint64_t kSecond = 1'000'000'000;

postgres::SlotState slot_that_holds(std::uint64_t bytes, std::uint64_t restart = 7) {
  return {.wal_status = "extended", .confirmed = {restart}, .restart = {restart}, .held = bytes};
}

TEST(HeldLog, ASlotThatNobodyFollowsMayHoldAsMuchAsTheLimit) {
  const HeldLog log("feed", kMost);
  EXPECT_FALSE(log.why_not_kept(slot_that_holds(0)));
  EXPECT_FALSE(log.why_not_kept(slot_that_holds(kMost)));
  const auto why = log.why_not_kept(slot_that_holds(kMost + 1));
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, "the slot feed holds 1001 bytes of the server's log, more than the 1000 of --max-log");
  EXPECT_FALSE(HeldLog("feed", std::nullopt).why_not_kept(slot_that_holds(~std::uint64_t{0})));
}

TEST(HeldLog, ASlotWhoseLogTheServerIsAboutToRemoveIsNotKept) {
  for (const char* const status : {"reserved", "extended", "unreserved"}) {
    postgres::SlotState slot = slot_that_holds(1);
    slot.wal_status = status;
    EXPECT_EQ(HeldLog("feed", std::nullopt).why_not_kept(slot).has_value(), slot.wal_status == "unreserved");
  }
}

TEST(HeldLog, AFollowerThatKeepsUpHasAMinuteToMoveTheSlot) {
  HeldLog log("feed", kMost);
  const auto given_up = [&](std::uint64_t restart, std::uint64_t at) {
    return log.why_not_followed(slot_that_holds(kMost + 1, restart), 0, true, at * kSecond).has_value();
  };
  EXPECT_FALSE(given_up(7, 100));
  EXPECT_FALSE(given_up(7, 159));
  EXPECT_FALSE(given_up(8, 160)) << "it has moved";
  EXPECT_FALSE(given_up(8, 219));
  EXPECT_TRUE(given_up(8, 220));
  EXPECT_FALSE(log.why_not_followed(slot_that_holds(kMost, 8), 0, false, 400 * kSecond))
      << "which it may hold";
}

TEST(HeldLog, AFollowerThatLagsAndHasNoLeaseIsGivenUpAtOnce) {
  const auto given_up = [](std::uint64_t held, std::uint64_t lag, bool has_lease) {
    return HeldLog("feed", kMost)
        .why_not_followed(slot_that_holds(held), lag, has_lease, kSecond)
        .has_value();
  };
  EXPECT_TRUE(given_up(kMost + 1, kMost + 1, false));
  EXPECT_FALSE(given_up(kMost + 1, kMost + 1, true));
  EXPECT_FALSE(given_up(kMost + 1, kMost, false));
  EXPECT_FALSE(given_up(kMost, kMost + 1, false));
  EXPECT_FALSE(HeldLog("feed", std::nullopt)
                   .why_not_followed(slot_that_holds(~std::uint64_t{0}), ~std::uint64_t{0}, false, kSecond));
}

}  // namespace
}  // namespace bloomery::feed
