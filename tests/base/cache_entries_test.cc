// The entries of a cache answer as a map does, keep to the bound, and keep what is asked for often through scans and loops.
#include "base/cache_entries.h"

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

constexpr std::uint64_t kEntriesSeed = 20261123;

// Returns whether the key was there. Its value is its own number.
bool ask(CacheEntries<std::uint64_t>& entries, CacheGroup& group, std::uint64_t number, std::uint64_t size) {
  const CacheKey key{&group, number};
  if (const std::uint64_t* const found = entries.find(key, key.hash())) {
    EXPECT_EQ(*found, number);
    return true;
  }
  entries.insert(key, key.hash(), number, size);
  return false;
}

TEST(CacheEntries, AreTheOnesThatWereInsertedAndKeepToTheBound) {
  RecordProperty("seed", std::to_string(kEntriesSeed));
  std::mt19937_64 random(kEntriesSeed);
  for (const std::uint64_t most : {0U, 10U, 5000U, 100'000U}) {
    CacheEntries<std::uint64_t> entries(most);
    std::array<CacheGroup, 3> groups = {CacheGroup{.id = 1}, CacheGroup{.id = 2}, CacheGroup{.id = 3}};
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> sizes;
    for (int i = 0; i < 50'000; ++i) {
      CacheGroup& group = groups[random() % 3];
      const std::uint64_t number = random() % 300;
      const auto size = sizes.try_emplace({group.id, number}, 1 + random() % 900).first->second;
      ask(entries, group, number, size);
      ASSERT_LE(entries.bytes(), most);
      if (random() % 5000 == 0) {
        entries.drop(group);
        for (std::uint64_t each = 0; each < 300; ++each) {
          const CacheKey key{&group, each};
          ASSERT_EQ(entries.find(key, key.hash()), nullptr);
        }
      }
    }
    for (CacheGroup& group : groups) {
      entries.drop(group);
    }
    EXPECT_EQ(entries.bytes(), 0U);
    EXPECT_EQ(entries.count(), 0U);
  }
}

TEST(CacheEntries, AScanDoesNotDriveOutWhatIsAskedForAgain) {
  CacheEntries<std::uint64_t> entries(100'000);
  CacheGroup group{.id = 1};
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t hot = 0; hot < 50; ++hot) {
      ask(entries, group, hot, 1000);
    }
  }
  for (std::uint64_t cold = 1000; cold < 1300; ++cold) {
    ask(entries, group, cold, 1000);
  }
  int kept = 0;
  for (std::uint64_t hot = 0; hot < 50; ++hot) {
    kept += ask(entries, group, hot, 1000) ? 1 : 0;
  }
  EXPECT_GE(kept, 45);  // of 50: one that shares its counters with others may go
}

// LRU finds nothing here.
TEST(CacheEntries, ALoopOverMoreThanItHoldsFindsAPartEachTime) {
  CacheEntries<std::uint64_t> entries(1'000'000);
  CacheGroup group{.id = 1};
  int found = 0;
  for (int round = 0; round < 10; ++round) {
    found = 0;
    for (std::uint64_t number = 0; number < 1500; ++number) {
      found += ask(entries, group, number, 1000) ? 1 : 0;
    }
  }
  EXPECT_GT(found, 700);
}

// Those of before make room when nobody asks for them any more.
TEST(CacheEntries, AKeyThatIsDroppedIsGoneAndNoOther) {
  CacheEntries<std::uint64_t> entries(10'000);
  CacheGroup group{.id = 1};
  for (std::uint64_t number = 0; number < 100; ++number) {
    ask(entries, group, number, 100);
  }
  const auto is_kept = [&](std::uint64_t number) {
    const CacheKey key{&group, number};
    return entries.find(key, key.hash()) != nullptr;
  };
  const CacheKey never{&group, 1000};
  entries.drop(never, never.hash());
  EXPECT_EQ(entries.count(), 100U);
  for (std::uint64_t number = 0; number < 100; number += 3) {
    const CacheKey key{&group, number};
    entries.drop(key, key.hash());
    EXPECT_FALSE(is_kept(number));
  }
  EXPECT_EQ(entries.count(), 66U);
  EXPECT_EQ(entries.bytes(), 6600U);
  for (std::uint64_t number = 0; number < 100; ++number) {
    EXPECT_EQ(is_kept(number), number % 3 != 0) << number;
  }
  entries.drop(group);
  EXPECT_EQ(entries.count(), 0U);
}

TEST(CacheEntries, FollowWhatIsAskedForNow) {
  CacheEntries<std::uint64_t> entries(100'000);
  CacheGroup group{.id = 1};
  for (int round = 0; round < 50; ++round) {
    for (std::uint64_t number = 0; number < 90; ++number) {
      ask(entries, group, number, 1000);
    }
  }
  int found = 0;
  for (int round = 0; round < 100; ++round) {
    found = 0;
    for (std::uint64_t number = 1000; number < 1090; ++number) {
      found += ask(entries, group, number, 1000) ? 1 : 0;
    }
  }
  EXPECT_EQ(found, 90);
}

TEST(FrequencySketch, NeverEstimatesTooLittleAndForgetsByHalves) {
  FrequencySketch sketch;
  sketch.reserve(1024);
  std::mt19937_64 random(kEntriesSeed);
  std::array<std::uint64_t, 200> keys;
  for (std::uint64_t& key : keys) {
    key = random();
    sketch.add(key);
    sketch.add(key);
  }
  for (const std::uint64_t key : keys) {
    EXPECT_GE(sketch.estimate(key), 2U);
  }
  for (int i = 0; i < 100'000; ++i) {
    sketch.age();
    sketch.add(random());
  }
  unsigned sum = 0;
  for (const std::uint64_t key : keys) {
    sum += sketch.estimate(key);
  }
  EXPECT_LT(sum, 200 * 8);
}

}  // namespace
}  // namespace bloomery
