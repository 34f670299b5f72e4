// The table of an exact set against std::map, with hashes that lie in few long runs and around the end.
#include "filter/any/exact_table.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

// Slots by the leading bits of the low word, so that a test can choose them.
constexpr ExactTable::Spread kByLow{.by_low = 1, .by_high = 0};

struct Less {
  bool operator()(const Hash128& a, const Hash128& b) const {
    return std::tie(a.low, a.high) < std::tie(b.low, b.high);
  }
};
using ExactModel = std::map<Hash128, std::uint64_t, Less>;

void expect_the_model(const ExactTable& table, const ExactModel& model) {
  std::uint64_t total = 0;
  const std::vector<ExactTable::Entry> sorted = table.sorted();
  ASSERT_EQ(sorted.size(), model.size());
  ASSERT_EQ(table.size(), model.size());
  auto entry = sorted.begin();
  for (const auto& [hash, count] : model) {
    ASSERT_TRUE(entry->hash == hash);
    ASSERT_EQ(entry->count, count);
    ASSERT_EQ(table.count(hash), count);
    total += count;
    ++entry;
  }
  ASSERT_EQ(table.total(), total);
}

// `hash_of` makes a hash of random bits: of few, so that it comes again.
template <typename HashOf>
void run_table_model(const ExactTable::Spread& spread, std::uint64_t seed, HashOf hash_of) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  ExactTable table(spread);
  ExactModel model;
  for (int step = 0; step < 60'000; ++step) {
    const Hash128 hash = hash_of(random());
    const bool growing = step / 5000 % 2 == 0;
    if (random() % 10 < (growing ? 7 : 3)) {
      const std::uint64_t times = random() % 4 == 0 ? 1 + random() % 1000 : 1;
      ASSERT_TRUE(table.insert(hash, times));
      model[hash] += times;
    } else {
      const auto found = model.find(hash);
      ASSERT_EQ(table.remove(hash), found != model.end());
      if (found != model.end() && --found->second == 0) {
        model.erase(found);
      }
    }
    const auto found = model.find(hash);
    ASSERT_EQ(table.count(hash), found == model.end() ? 0 : found->second);
    if (step % 500 == 0) {
      expect_the_model(table, model);
    }
  }
  expect_the_model(table, model);
}

TEST(ExactTable, IsAMapOfRandomHashes) {
  run_table_model(ExactTable::Spread::drawn(), kTestSeed, [](std::uint64_t random) {
    return Hash128{.low = random % 5000 * 0x9e3779b97f4a7c15, .high = random % 3};
  });
}

// All in one run that begins in the last slot of any size, and goes on at the first.
TEST(ExactTable, IsAMapOfHashesThatWrapAround) {
  run_table_model(kByLow, kTestSeed + 1, [](std::uint64_t random) {
    return Hash128{.low = ~std::uint64_t{0}, .high = random % 300};
  });
}

// Runs that grow into each other, in all places of which some are at the end.
TEST(ExactTable, IsAMapOfClumps) {
  for (std::uint64_t clumps = 2; clumps <= 16; clumps += 7) {
    run_table_model(kByLow, kTestSeed + 2 + clumps, [clumps](std::uint64_t random) {
      const std::uint64_t clump = random % clumps;
      const std::uint64_t apart = random / clumps % 40 << 54;  // 40/1024 of the table
      return Hash128{.low = ~std::uint64_t{0} / clumps * clump + apart - (std::uint64_t{20} << 54),
                     .high = random / 1000 % 5};
    });
  }
}

// Whatever the slots, the order is that of the hashes.
TEST(ExactTable, OrderDoesNotDependOnTheSpread) {
  ExactTable drawn;
  ExactTable by_low(kByLow);
  std::mt19937_64 random(kTestSeed);
  for (int i = 0; i < 1000; ++i) {
    const Hash128 hash{.low = random() % 100, .high = random()};
    ASSERT_TRUE(drawn.insert(hash, 1));
    ASSERT_TRUE(by_low.insert(hash, 1));
  }
  const auto left = drawn.sorted();
  const auto right = by_low.sorted();
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_TRUE(left[i].hash == right[i].hash);
  }
}

// Hashes with one low word, or in steps of a power of two, would lie in one run of a table that anybody
// knows. 200,000 in one run are 2 * 10^10 looks.
TEST(ExactTable, ChosenHashesDoNotLieInOneRun) {
  constexpr std::uint64_t kHashes = 200'000;
  ExactTable same_low;
  ExactTable same_front;
  for (std::uint64_t i = 0; i < kHashes; ++i) {
    ASSERT_TRUE(same_low.insert({.low = 7, .high = i}, 1));
    ASSERT_TRUE(same_front.insert({.low = i, .high = 0}, 1));
  }
  EXPECT_EQ(same_low.size(), kHashes);
  EXPECT_EQ(same_front.size(), kHashes);
}

TEST(ExactTable, ASumBeyond64BitsIsRefusedAndChangesNothing) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  ExactTable table;
  ASSERT_TRUE(table.insert({.low = 1, .high = 1}, kMost - 1));
  ASSERT_TRUE(table.insert({.low = 2, .high = 2}, 1));
  const Status one_more = table.insert({.low = 1, .high = 1}, 1);
  ASSERT_FALSE(one_more);
  EXPECT_EQ(one_more.error().code(), ErrorCode::kCapacity);
  EXPECT_FALSE(table.insert({.low = 3, .high = 3}, 1));
  expect_the_model(table, {{{.low = 1, .high = 1}, kMost - 1}, {{.low = 2, .high = 2}, 1}});
}

TEST(ExactTable, EmptyAndClearedTablesHaveNothing) {
  ExactTable table;
  const Hash128 hash{.low = 5, .high = 6};
  EXPECT_EQ(table.count(hash), 0u);
  EXPECT_FALSE(table.remove(hash));
  table.prefetch(hash);
  ASSERT_TRUE(table.insert(hash, 3));
  table.clear();
  expect_the_model(table, {});
  EXPECT_FALSE(table.remove(hash));
  ASSERT_TRUE(table.reserve(1000));
  ASSERT_TRUE(table.insert(hash, 1));
  expect_the_model(table, {{hash, 1}});
}

}  // namespace
}  // namespace bloomery
