// What is kept of a file is counted, given back, and refused above the limit, by threads at once too.
#include "base/memory_budget.h"

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(MemoryBudget, FollowsTheBytesOfTheFileUnlessToldOtherwise) {
  EXPECT_EQ(MemoryBudget::of_file({}, 0)->limit(), 256 * kMiB);
  EXPECT_EQ(MemoryBudget::of_file({}, 64 * kMiB)->limit(), 256 * kMiB);
  EXPECT_EQ(MemoryBudget::of_file({}, 65 * kMiB)->limit(), 260 * kMiB);
  EXPECT_EQ(MemoryBudget::of_file({}, ~std::uint64_t{0} / 2)->limit(), ~std::uint64_t{0});
  EXPECT_EQ(MemoryBudget::of_file({.limit_bytes = 5}, 65 * kMiB)->limit(), 5u);
}

TEST(MemoryBudget, BoundsTheSumAndNotThePart) {
  const auto budget = std::make_shared<MemoryBudget>(100);
  MemoryShare first(budget);
  MemoryShare second(budget);
  EXPECT_TRUE(first.add("index", 60));
  EXPECT_TRUE(second.add("filter", 40));
  const Status refused = second.add("filter", 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(refused.error().subject(), "filter");
  EXPECT_NE(refused.error().detail().find("needs 1 bytes of memory beside the 100"), std::string::npos);
  EXPECT_NE(refused.error().detail().find("limit is 100"), std::string::npos);
  EXPECT_FALSE(second.try_add(~std::uint64_t{0})) << "no sum may wrap";
  EXPECT_EQ(budget->used(), 100u);
  first.clear();
  EXPECT_EQ(budget->used(), 40u);
  EXPECT_TRUE(second.try_add(60));
  EXPECT_EQ(budget->most_used(), 100u);
}

TEST(MemoryBudget, AShareThatMovesIsGivenBackOnce) {
  const auto budget = std::make_shared<MemoryBudget>(100);
  {
    MemoryShare first(budget);
    EXPECT_TRUE(first.try_add(30));
    MemoryShare second = std::move(first);
    EXPECT_EQ(second.bytes(), 30u);
    MemoryShare third(budget);
    EXPECT_TRUE(third.try_add(20));
    third = std::move(second);
    EXPECT_EQ(budget->used(), 30u);
  }
  EXPECT_EQ(budget->used(), 0u);
  MemoryShare of_nobody;
  EXPECT_TRUE(of_nobody.try_add(~std::uint64_t{0}));
}

TEST(MemoryBudget, CountsForThreadsAtOnce) {
  const auto budget = std::make_shared<MemoryBudget>(1000);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20000; ++round) {
        MemoryShare share(budget);
        (void)share.try_add(400);
        (void)share.try_add(200);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(budget->used(), 0u);
  EXPECT_LE(budget->most_used(), 1000u);
}

TEST(MemoryBudget, WhereMemoryReallyEndsTheFileIsNamed) {
  const Status status = within_memory("some.file", []() -> Status { throw std::bad_alloc(); });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(status.error().subject(), "some.file");
}

}  // namespace
}  // namespace bloomery
