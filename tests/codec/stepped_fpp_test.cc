// The fpp that small filters tell is the one that is counted. fill^k, which takes the bits of a key for independent, is wrong
// by factors of 2 to 40,000 where a key's bits are steps of one number.
#include "codec/stepped_fpp.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/codec/golden.h"

namespace bloomery {
namespace {

std::string random_key(std::mt19937_64& random) {
  return little_endian(random()) + little_endian(random());
}

struct SmallFilter {
  std::string dialect;
  std::uint64_t capacity;
  std::uint64_t keys;
  double fpp;
};

std::unique_ptr<DialectFilter> filled(const SmallFilter& small, std::mt19937_64& random) {
  std::vector<std::string> keys(small.keys);
  for (std::string& key : keys) {
    key = random_key(random);
  }
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  auto filter =
      built(small.dialect, {.capacity = small.capacity, .fpp = small.fpp, .bits_per_key = {}}, views);
  EXPECT_TRUE(filter) << filter.error().to_string();
  return std::move(filter).value();
}

std::uint64_t maybes_of_random(const DialectFilter& filter, std::uint64_t count, std::mt19937_64& random) {
  std::uint64_t maybes = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    maybes += std::uint64_t{filter.may_contain(random_key(random))};
  }
  return maybes;
}

// Filters of one key to thousands, over-full and nearly empty. What is told is within a factor of two of what is counted
// among a million random keys, give or take what chance does to a count.
TEST(SteppedFpp, WhatSmallFiltersTellIsWhatIsCounted) {
  constexpr std::uint64_t kSeed = 20261125;
  constexpr std::uint64_t kAsked = 1'000'000;
  const SmallFilter filters[] = {{"guava", 1, 1, 0.0001},
                                 {"guava", 10, 10, 0.001},
                                 {"guava", 100, 5, 0.001},
                                 {"guava", 1000, 1000, 0.00001},
                                 {"guava:mitz32", 1, 1, 0.0001},
                                 {"guava:mitz32", 50, 50, 0.0001},
                                 {"spark:v1", 1, 1, 0.0001},
                                 {"spark:v1", 60, 60, 0.0001},
                                 {"spark:v2", 1, 1, 0.0001},
                                 {"spark:v2", 10, 10, 0.0001},
                                 {"spark:v2", 300, 300, 0.000001},
                                 {"cassandra:nb", 1, 1, 0.001},
                                 {"cassandra:nb", 20, 20, 0.0001},
                                 {"cassandra:jb", 20, 20, 0.0001},
                                 {"dcso", 1, 1, 0.0001},
                                 {"dcso", 10, 10, 0.0001},
                                 {"dcso", 100, 100, 0.0001},
                                 {"redisbloom", 1, 1, 0.0001},
                                 {"redisbloom", 10, 1, 0.01},
                                 {"redisbloom", 100, 1, 0.01},
                                 {"redisbloom", 100, 100, 0.0001},
                                 {"redisbloom", 100, 500, 0.001},
                                 {"leveldb:raw", 1, 1, 0.0001},
                                 {"leveldb:raw", 5, 5, 0.0001},
                                 {"leveldb:raw", 40, 40, 0.00001},
                                 {"rocksdb:legacy", 1, 1, 0.01},
                                 {"rocksdb:legacy", 100, 100, 0.006},
                                 {"bits-and-blooms", 1, 1, 0.001},
                                 {"bits-and-blooms", 10, 10, 0.0001}};
  std::mt19937_64 random(kSeed);
  for (const SmallFilter& small : filters) {
    const auto filter = filled(small, random);
    ASSERT_NE(filter, nullptr);
    const double expected = filter->current_fpp() * kAsked;
    const auto found = static_cast<double>(maybes_of_random(*filter, kAsked, random));
    const double slack = 4 * std::sqrt(found + 1);
    EXPECT_TRUE(expected <= 2 * (found + slack) && found <= 2 * expected + slack)
        << small.dialect << " of " << small.capacity << " with " << small.keys << ", fpp " << small.fpp
        << ": told " << expected << ", counted " << found << ", seed " << kSeed;
  }
}

// Large filters tell fill^k, beside which the steps are nothing, without a sample.
TEST(SteppedFpp, LargeFiltersTellWhatTheirFillSays) {
  std::mt19937_64 random(1);
  const auto filter = filled({"guava", 20'000, 20'000, 0.01}, random);
  const DialectFacts facts = filter->facts();
  EXPECT_EQ(
      filter->current_fpp(),
      std::pow(static_cast<double>(facts.set_bits) / static_cast<double>(facts.bits), facts.hash_count));
}

// Many set bits and a small fill^k: of these steps only the short ones are sampled. The sum stays above fill^k.
TEST(SteppedFpp, ManyBitsWithASmallFppAreSampledByTheirShortSteps) {
  std::mt19937_64 random(2);
  const auto filter = filled({"spark:v2", 20'000, 20'000, 1e-9}, random);
  const DialectFacts facts = filter->facts();
  const double fill = static_cast<double>(facts.set_bits) / static_cast<double>(facts.bits);
  EXPECT_GT(filter->current_fpp(), 100 * std::pow(fill, facts.hash_count));
  EXPECT_LT(filter->current_fpp(), 10 / static_cast<double>(facts.bits));
}

TEST(SteppedFpp, EmptyAndFullFiltersAreSure) {
  std::mt19937_64 random(3);
  EXPECT_EQ(filled({"guava", 10, 0, 0.01}, random)->current_fpp(), 0);
  EXPECT_EQ(filled({"redisbloom:nonscaling", 10, 0, 0.01}, random)->current_fpp(), 0);
  EXPECT_EQ(viewed(std::string("\1\7\0\0\0\1", 6) + std::string(8, '\xff'), "guava")->current_fpp(), 1);
}

}  // namespace
}  // namespace bloomery
