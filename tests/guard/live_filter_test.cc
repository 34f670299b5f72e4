// The filter of this process: what a feeder's calls do, in which order they are refused, and that a swap loses no
// key.
#include "bloomery/guard/live_filter.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/guard/guard_parts.h"

namespace bloomery::guard {
namespace {

Completeness complete_to(std::int64_t horizon_ns) {
  return {FilterPhase::kComplete, 7, 3, horizon_ns};
}

TEST(LiveFilter, GoesFromColdOverLoadingToCompleteAndBack) {
  const auto live = made_filter();
  EXPECT_EQ(live->completeness().phase, FilterPhase::kCold);
  EXPECT_TRUE(live->ask("key").may_contain);
  ASSERT_TRUE(live->begin_rebuild(100));
  EXPECT_EQ(live->completeness().phase, FilterPhase::kLoading);
  EXPECT_TRUE(live->ask("key").may_contain);
  ASSERT_TRUE(live->insert_scanned("key"));
  ASSERT_TRUE(live->finish_rebuild(complete_to(100)));
  EXPECT_EQ(live->ask("key").seen, (Completeness{FilterPhase::kComplete, 7, 3, 100, 1}));
  EXPECT_TRUE(live->ask("key").may_contain);
  EXPECT_FALSE(live->ask("no key").may_contain && live->ask("none").may_contain &&
               live->ask("nobody").may_contain);
  live->report(8, 0, 200);
  EXPECT_EQ(live->completeness(), (Completeness{FilterPhase::kComplete, 8, 0, 200, 1}));
  live->report(9, 1, 150);  // a horizon never goes back
  EXPECT_EQ(live->completeness().horizon_ns, 200);
  live->doubt();
  EXPECT_EQ(live->completeness().phase, FilterPhase::kCold);
  EXPECT_TRUE(live->ask("none").may_contain);
}

TEST(LiveFilter, ARebuildServesTheOldFilterAndTakesNewRowsIntoBoth) {
  const auto live = made_filter();
  fill(*live, std::vector<std::string>{"old", "gone"});
  const std::int64_t horizon = live->completeness().horizon_ns;
  ASSERT_TRUE(live->begin_rebuild(100));
  EXPECT_FALSE(live->begin_rebuild(100));  // one at a time
  ASSERT_TRUE(live->insert_scanned("old"));
  ASSERT_TRUE(live->insert("new"));
  EXPECT_EQ(live->completeness().phase, FilterPhase::kComplete);
  for (const char* const key : {"old", "gone", "new"}) {
    EXPECT_TRUE(live->ask(key).may_contain) << key;
  }
  EXPECT_FALSE(live->finish_rebuild(complete_to(horizon - 1)));
  EXPECT_FALSE(live->finish_rebuild({FilterPhase::kLoading, 0, 0, horizon}));
  ASSERT_TRUE(live->finish_rebuild(complete_to(horizon)));
  EXPECT_TRUE(live->ask("old").may_contain);
  EXPECT_TRUE(live->ask("new").may_contain);
  EXPECT_EQ(live->figures().rebuilds, 2U);
  EXPECT_EQ(live->figures().keys, 2U);
  EXPECT_FALSE(live->finish_rebuild(complete_to(horizon)));
  EXPECT_FALSE(live->insert_scanned("key"));
}

TEST(LiveFilter, AnAbandonedRebuildLeavesTheOldFilter) {
  const auto live = made_filter();
  fill(*live, std::vector<std::string>{"old"});
  ASSERT_TRUE(live->begin_rebuild(1));
  live->abandon_rebuild();
  live->abandon_rebuild();
  EXPECT_TRUE(live->ask("old").may_contain);
  EXPECT_EQ(live->figures().rebuilds, 1U);
  ASSERT_TRUE(live->begin_rebuild(1));
}

TEST(LiveFilter, EachRebuildHasASecretOfItsOwn) {
  const auto live = made_filter(0.01, 2000);
  std::vector<std::string> keys;
  for (int i = 0; i < 2000; ++i) {
    keys.push_back("row " + std::to_string(i));
  }
  const auto passing = [&] {
    std::vector<std::string> found;
    for (int i = 0; i < 200'000; ++i) {
      if (std::string key = "stranger " + std::to_string(i); live->ask(key).may_contain) {
        found.push_back(std::move(key));
      }
    }
    return found;
  };
  fill(*live, keys);
  const std::vector<std::string> first = passing();
  fill(*live, keys);
  std::size_t again = 0;
  for (const std::string& key : first) {
    again += live->ask(key).may_contain ? 1U : 0U;
  }
  EXPECT_GT(first.size(), 20U);
  EXPECT_LT(first.size(), 4000U);
  EXPECT_LE(again, first.size() / 4);  // a hundredth is expected
}

TEST(LiveFilter, GrowsBeyondItsCapacityWithoutLosingAKey) {
  const auto live = made_filter(0.01, 10);
  fill(*live, std::vector<std::string>{"first"});
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(live->insert("row " + std::to_string(i)));
  }
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(live->ask("row " + std::to_string(i)).may_contain);
  }
}

TEST(LiveFilter, TellsOfInsertsAfterTheyAreIn) {
  const auto live = made_filter();
  fill(*live, std::vector<std::string>{});
  std::vector<std::string> heard;
  live->on_insert([&](std::string_view key) { heard.emplace_back(key); });
  ASSERT_TRUE(live->insert("a"));
  ASSERT_TRUE(live->begin_rebuild(1));
  ASSERT_TRUE(live->insert_scanned("b"));
  ASSERT_TRUE(live->insert("c"));
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "c"}));
}

TEST(LiveFilter, APlanThatNoFilterCanHaveIsRefused) {
  EXPECT_FALSE(LiveFilter::make({.capacity = 1000, .fpp = 0}));
  EXPECT_FALSE(LiveFilter::make({.capacity = 1000, .fpp = 2}));
}

}  // namespace
}  // namespace bloomery::guard
