// A set of hashes answers as std::unordered_set does, wherever the hashes lie.
#include "dedup/hash_set64.h"

#include <random>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/native_filter.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

// Gives values in batches of random sizes to both.
void expect_set_as_model(const std::vector<std::uint64_t>& values) {
  std::mt19937_64 random(kTestSeed);
  HashSet64 set;
  std::unordered_set<std::uint64_t> model;
  for (std::size_t begin = 0; begin < values.size();) {
    const std::size_t size = std::min<std::size_t>(values.size() - begin, 1 + random() % 3000);
    std::vector<Hash128> hashes(size);
    for (std::size_t i = 0; i < size; ++i) {
      hashes[i] = {.low = values[begin + i], .high = random()};
    }
    std::vector<std::uint64_t> answers(answer_words(size), ~std::uint64_t{0});
    ASSERT_TRUE(set.test_and_insert_batch(hashes, answers));
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(((answers[i / 64] >> (i % 64)) & 1) != 0, model.insert(hashes[i].low).second)
          << "value " << hashes[i].low << " at " << begin + i << ", seed " << kTestSeed;
    }
    begin += size;
  }
  EXPECT_EQ(set.size(), model.size());
}

TEST(HashSet64, RandomHashesWithRepeats) {
  std::mt19937_64 random(kTestSeed);
  std::vector<std::uint64_t> values(400'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i > 0 && random() % 5 < 2 ? values[random() % i] : random();
  }
  expect_set_as_model(values);
}

// Hashes are even under a secret; the table must be right, if slow, where they are not.
TEST(HashSet64, HashesThatCrowd) {
  std::mt19937_64 random(kTestSeed);
  for (const std::uint64_t base : {std::uint64_t{0}, ~std::uint64_t{0} - 20'000, std::uint64_t{1} << 63}) {
    std::vector<std::uint64_t> values(30'000);
    for (std::uint64_t& value : values) {
      value = base + random() % 20'000;
    }
    expect_set_as_model(values);
  }
}

TEST(HashSet64, TheEndsOfTheRange) {
  const std::uint64_t most = ~std::uint64_t{0};
  expect_set_as_model({0, 0, most, most, 1, most - 1, 0, 1, most, most - 1});
}

TEST(HashSet64, TakesTenToFourteenBytesAHash) {
  std::mt19937_64 random(kTestSeed);
  HashSet64 set;
  std::vector<Hash128> hashes(1000);
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  while (set.size() < 1'500'000) {
    for (Hash128& hash : hashes) {
      hash.low = random();
    }
    ASSERT_TRUE(set.test_and_insert_batch(hashes, answers));
    if (set.size() > 100'000) {
      const double bytes = static_cast<double>(set.byte_size()) / static_cast<double>(set.size());
      ASSERT_LT(bytes, 13.7) << set.size();
      ASSERT_GT(bytes, 9.9) << set.size();
    }
  }
}

// A growth moves every hash: by a third at least each time, so that 300,000 hashes take about ten.
TEST(HashSet64, GrowsSeldom) {
  std::mt19937_64 random(kTestSeed);
  HashSet64 set;
  std::vector<Hash128> hashes(1000);
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  int growths = 0;
  while (set.size() < 300'000) {
    for (Hash128& hash : hashes) {
      hash.low = random();
    }
    const std::uint64_t before = set.byte_size();
    ASSERT_TRUE(set.test_and_insert_batch(hashes, answers));
    growths += set.byte_size() == before ? 0 : 1;
  }
  EXPECT_GE(growths, 5);
  EXPECT_LE(growths, 15);
}

}  // namespace
}  // namespace bloomery
