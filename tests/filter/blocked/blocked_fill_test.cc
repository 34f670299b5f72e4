// The fpp of bits as they are: that of a filter that is asked, however small it is, and the model's on
// average.
#include "filter/blocked/blocked_fill.h"

#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

// A filter's words, with keys from `first` on.
std::vector<std::uint64_t> filled_words(const BlockedShape& shape, std::uint64_t first, std::size_t keys) {
  std::vector<std::uint64_t> words(shape.words);
  const BlockedTable table = blocked_table(words.data(), shape);
  chosen_blocked_kernel().insert_batch(table, numbered_hashes(first, keys, kTestSeed), Sharing::kExclusive);
  return words;
}

TEST(BlockedFill, IsTheShareOfAbsentKeysThatMatch) {
  constexpr std::size_t kQueries = 400'000;
  const std::vector<Hash128> absent = numbered_hashes(kAbsentKeys, kQueries, kTestSeed);
  std::vector<std::uint64_t> answers(answer_words(kQueries));
  for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
    for (std::uint32_t k = kMinBlockedHashes; k <= kMaxBlockedHashes; k += 2) {
      for (const std::uint64_t words : {8u, 64u, 4096u}) {
        const BlockedShape shape{.words = words, .hash_count = k, .setting = setting};
        std::vector<std::uint64_t> bits = filled_words(shape, words, words * 8);
        const BlockedTable table = blocked_table(bits.data(), shape);
        chosen_blocked_kernel().may_contain_batch(table, absent, answers.data());
        double found = 0;
        for (const std::uint64_t word : answers) {
          found += std::popcount(word);
        }
        const double expected = fpp_of_bits(table) * kQueries;
        EXPECT_NEAR(found, expected, 5 * std::sqrt(expected) + 1) << "k " << k << ", words " << words;
      }
    }
  }
}

TEST(BlockedFill, IsTheModelOnAverage) {
  for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
    constexpr std::size_t kKeys = 100'000;
    const BlockedShape shape = *blocked_shape_for_fpp(kKeys, 0.01, setting);
    double sum = 0;
    for (std::uint64_t i = 0; i < 20; ++i) {
      std::vector<std::uint64_t> bits = filled_words(shape, i * kKeys, kKeys);
      sum += fpp_of_bits(blocked_table(bits.data(), shape));
    }
    EXPECT_NEAR(sum / 20 / predicted_fpp(shape, kKeys), 1, 0.01);
  }
}

TEST(BlockedFill, AnEmptyFilterNeverErrsAndAFullOneAlways) {
  for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
    const BlockedShape shape{.words = 16, .hash_count = 11, .setting = setting};
    std::vector<std::uint64_t> words(16);
    EXPECT_EQ(fpp_of_bits(blocked_table(words.data(), shape)), 0);
    words.assign(16, ~std::uint64_t{0});
    EXPECT_DOUBLE_EQ(fpp_of_bits(blocked_table(words.data(), shape)), 1);
    words.assign(16, 0);
    words[0] = 1;  // one bit in a word: no key has it and others
    EXPECT_EQ(fpp_of_bits(blocked_table(words.data(), shape)), 0);
  }
}

}  // namespace
}  // namespace bloomery
