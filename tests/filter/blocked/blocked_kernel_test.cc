// Every kernel against the definition, and the definition against its formula.
#include "filter/blocked/blocked_kernel.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/base/uint128.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

std::vector<Hash128> random_low_hashes(std::mt19937_64& random, std::size_t count) {
  std::vector<Hash128> hashes(count);
  for (Hash128& hash : hashes) {
    hash = {.low = random(), .high = 0};
  }
  return hashes;
}

std::vector<Hash64> low_words_of(const std::vector<Hash128>& hashes) {
  std::vector<Hash64> low;
  for (const Hash128& hash : hashes) {
    low.push_back({hash.low});
  }
  return low;
}

struct Table {
  Table(std::uint64_t windows, std::uint32_t stride_words, std::uint32_t hash_count)
      : words((windows - 1) * stride_words + 8),
        table{words.data(), windows, stride_words == 8 ? 3U : 0U, hash_count} {}
  std::vector<std::uint64_t> words;
  BlockedTable table;
};

// The documented formula, written out once more.
TEST(BlockedKernel, TheDefinitionFollowsItsFormula) {
  std::mt19937_64 random(kTestSeed);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t hash = random();
    const std::uint64_t windows = round % 2 == 0 ? 1 + random() % 1000 : 1;
    const std::uint32_t stride = round % 3 == 0 ? 1 : 8;
    const auto k = static_cast<std::uint32_t>(8 + random() % 9);
    Table table(windows, stride, k);
    EXPECT_TRUE(kScalarBlockedKernel.one.insert(table.table, hash));
    std::vector<std::uint64_t> expected(table.words.size());
    const Uint128 product = Uint128{hash} * windows;
    const auto window = static_cast<std::uint64_t>(product >> 64);
    const auto rest = static_cast<std::uint64_t>(product);
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint64_t a = rest >> 32;
      const std::uint64_t b = (rest * 0x9fb21c651e98df25) >> 32;
      const std::uint64_t first = ((a * kWindowSalts[i]) & 0xffffffff) >> 26;
      const std::uint64_t step = std::max<std::uint64_t>(((b * kWindowSalts[i]) & 0xffffffff) >> 26, 1);
      expected[window * stride + i] |= std::uint64_t{1} << first;
      if (i < k - 8) {
        expected[window * stride + i] |= std::uint64_t{1} << (first ^ step);
      }
    }
    ASSERT_EQ(table.words, expected) << "round " << round << ", seed " << kTestSeed;
    EXPECT_FALSE(kScalarBlockedKernel.one.insert(table.table, hash));
  }
}

// Every k is k bits, in every kernel.
TEST(BlockedKernel, AKeySetsExactlyKBits) {
  std::mt19937_64 random(kTestSeed);
  for (const BlockedKernel& kernel : blocked_kernels()) {
    for (std::uint32_t k = 8; k <= 16 && kernel.available(); ++k) {
      for (const Hash128& hash : random_low_hashes(random, 100)) {
        Table table(1, 8, k);
        kernel.one.insert(table.table, hash.low);
        int bits = 0;
        for (const std::uint64_t word : table.words) {
          bits += __builtin_popcountll(word);
        }
        ASSERT_EQ(bits, static_cast<int>(k)) << kernel.name;
      }
    }
  }
}

// Random batches of random sizes into tables in and beyond the cache: the same bits and the same answers as
// the scalar kernel, one key at a time.
TEST(BlockedKernel, EveryKernelGivesTheSameBitsAndAnswers) {
  std::mt19937_64 random(kTestSeed);
  for (const BlockedKernel& kernel : blocked_kernels()) {
    if (!kernel.available()) {
      continue;
    }
    for (const std::uint32_t stride : {8u, 1u}) {
      for (const std::uint64_t windows : {1u, 7u, 1000u, 100'000u}) {
        for (std::uint32_t k = 8; k <= 16; ++k) {
          Table expected(windows, stride, k);
          Table actual(windows, stride, k);
          Table by_low(windows, stride, k);
          for (const std::size_t size : {1u, 63u, 64u, 65u, 300u}) {
            const std::vector<Hash128> hashes = random_low_hashes(random, size);
            for (const Hash128& hash : hashes) {
              kScalarBlockedKernel.one.insert(expected.table, hash.low);
            }
            const Sharing sharing = size % 2 == 0 ? Sharing::kShared : Sharing::kExclusive;
            kernel.insert_batch(actual.table, hashes, sharing);
            kernel.insert_low(by_low.table, low_words_of(hashes), sharing);
            ASSERT_EQ(actual.words, expected.words)
                << kernel.name << " k " << k << " stride " << stride << " seed " << kTestSeed;
            ASSERT_EQ(by_low.words, expected.words) << kernel.name << " seed " << kTestSeed;
            std::vector<Hash128> probes = random_low_hashes(random, 200);
            probes.insert(probes.end(), hashes.begin(), hashes.end());
            std::vector<std::uint64_t> answers((probes.size() + 63) / 64, ~std::uint64_t{0});
            kernel.may_contain_batch(actual.table, probes, answers.data());
            std::vector<std::uint64_t> low_answers(answers.size(), ~std::uint64_t{0});
            kernel.may_contain_low(actual.table, low_words_of(probes), low_answers.data());
            ASSERT_EQ(low_answers, answers) << kernel.name << " seed " << kTestSeed;
            for (std::size_t i = 0; i < probes.size(); ++i) {
              const bool answer = ((answers[i / 64] >> (i % 64)) & 1) != 0;
              ASSERT_EQ(answer, kScalarBlockedKernel.one.may_contain(expected.table, probes[i].low))
                  << kernel.name;
              ASSERT_EQ(answer, kernel.one.may_contain(actual.table, probes[i].low)) << kernel.name;
              ASSERT_TRUE(answer || i < 200) << "a false negative of " << kernel.name;
            }
          }
        }
      }
    }
  }
}

// In batches with repeats, near and far: the answers that inserting one key after the other gives, and the
// same bits.
TEST(BlockedKernel, TestAndInsertAnswersInOrder) {
  std::mt19937_64 random(kTestSeed);
  for (const BlockedKernel& kernel : blocked_kernels()) {
    for (std::uint32_t k = 8; k <= 16 && kernel.available(); ++k) {
      for (const std::uint32_t stride : {8u, 1u}) {
        Table expected(1 + random() % 20'000, stride, k);
        Table actual(expected.table.windows, stride, k);
        Table by_low(expected.table.windows, stride, k);
        std::vector<Hash128> known = random_low_hashes(random, 3);
        for (const std::size_t size : {1u, 63u, 64u, 65u, 1000u}) {
          std::vector<Hash128> hashes = random_low_hashes(random, size);
          for (std::size_t i = 0; i < size; i += 3) {
            hashes[i] = random() % 2 == 0 && i > 0 ? hashes[random() % i] : known[random() % known.size()];
          }
          std::vector<std::uint64_t> answers((size + 63) / 64, ~std::uint64_t{0});
          kernel.test_and_insert_batch(actual.table, hashes, answers.data());
          std::vector<std::uint64_t> low_answers(answers.size(), ~std::uint64_t{0});
          kernel.test_and_insert_low(by_low.table, low_words_of(hashes), low_answers.data());
          ASSERT_EQ(low_answers, answers) << kernel.name << " seed " << kTestSeed;
          for (std::size_t i = 0; i < size; ++i) {
            ASSERT_EQ(((answers[i / 64] >> (i % 64)) & 1) != 0,
                      kScalarBlockedKernel.one.insert(expected.table, hashes[i].low))
                << kernel.name << " key " << i << " of " << size << ", seed " << kTestSeed;
          }
          ASSERT_EQ(actual.words, expected.words) << kernel.name << " seed " << kTestSeed;
          known.insert(known.end(), hashes.begin(), hashes.end());
        }
      }
    }
  }
}

TEST(BlockedKernel, TheDefinitionRunsEverywhere) {
  EXPECT_STREQ(blocked_kernels().back().name, "scalar");
  EXPECT_TRUE(blocked_kernels().back().available());
  EXPECT_TRUE(chosen_blocked_kernel().available());
}

}  // namespace
}  // namespace bloomery
