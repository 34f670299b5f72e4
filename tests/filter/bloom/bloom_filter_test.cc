// The textbook filter: no false negatives, the predicted rate, the same bytes for ever.
#include "bloomery/filter/bloom_filter.h"

#include <algorithm>
#include <bitset>
#include <functional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/bit_count.h"
#include "base/crc32c.h"
#include "bloomery/base/uint128.h"
#include "tests/base/sanitized.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

// Never to be changed: other builds have written these bytes.
constexpr std::uint32_t kGoldenChecksum = 1969790647;
const std::vector<std::uint64_t> kGoldenFalsePositives = {46, 128, 132};

std::vector<std::uint64_t> random_values(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> values(count);
  std::generate(values.begin(), values.end(), std::ref(random));
  return values;
}

TEST(BloomFilter, NoFalseNegativeAtAnySize) {
  for (const std::uint64_t size : {0u, 1u, 2u, 3u, 64u, 1000u, 1'000'000u}) {
    for (const double fpp : {0.3, 0.01, 1e-4}) {
      BloomFilter filter = *BloomFilter::for_capacity(size, fpp);
      insert_numbered(filter, 0, size);
      EXPECT_EQ(count_maybes(filter, 0, size), size) << size << " keys at " << fpp;
      EXPECT_EQ(filter.inserted(), size);
      EXPECT_EQ(filter.capacity(), size);
    }
  }
}

TEST(BloomFilter, AnEmptyFilterSaysNoToEverything) {
  for (const std::uint64_t capacity : {0u, 1u, 1000u}) {
    const BloomFilter filter = *BloomFilter::for_capacity(capacity, 0.01);
    EXPECT_EQ(count_maybes(filter, 0, 10'000), 0u);
    EXPECT_EQ(filter.fill_ratio(), 0);
    EXPECT_EQ(filter.estimated_count(), 0);
    EXPECT_EQ(filter.current_fpp(), 0);
  }
}

// 12,000 false positives make one standard deviation 0.9 %; 3 % is then beyond the 99.9 % interval.
TEST(BloomFilter, MeasuredFppIsThePredictedOne) {
  if (kSanitized) {
    GTEST_SKIP() << kCountedElsewhere;
  }
  constexpr std::uint64_t kKeys = 200'000;
  for (const double fpp : {0.1, 0.03, 0.01, 1e-3, 1e-4}) {
    BloomFilter filter = *BloomFilter::for_capacity(kKeys, fpp);
    insert_numbered(filter, 0, kKeys);
    const auto trials = static_cast<std::uint64_t>(12'000 / fpp);
    const double measured =
        static_cast<double>(count_maybes(filter, kAbsentKeys, trials)) / static_cast<double>(trials);
    const double predicted = predicted_fpp(filter.shape(), kKeys);
    EXPECT_NEAR(measured / predicted, 1, 0.03) << "asked " << fpp;
    EXPECT_NEAR(filter.current_fpp() / predicted, 1, 0.02) << "asked " << fpp;
    EXPECT_NEAR(filter.estimated_count() / kKeys, 1, 0.01) << "asked " << fpp;
  }
}

// The field's classic: 80,000 keys in 1,600,000 bits, over 10 million absent keys for k = 6 and 20 million
// for k = 14.
TEST(BloomFilter, EightyThousandKeysInSixteenHundredThousandBits) {
  if (kSanitized) {
    GTEST_SKIP() << kCountedElsewhere;
  }
  struct Case {
    std::uint32_t hash_count;
    double fpp;
    std::uint64_t trials;
  };
  for (const Case& c : {Case{6, 3.03e-4, 10'000'000}, Case{14, 6.7e-5, 20'000'000}}) {
    BloomFilter filter = *BloomFilter::for_shape({.bits = 1'600'000, .hash_count = c.hash_count}, 80'000);
    insert_numbered(filter, 0, 80'000);
    const double expected = c.fpp * static_cast<double>(c.trials);
    const auto found = static_cast<double>(count_maybes(filter, kAbsentKeys, c.trials));
    EXPECT_NEAR(found, expected, confidence(expected)) << "k = " << c.hash_count;
    RecordProperty("fpp_k" + std::to_string(c.hash_count),
                   std::to_string(found / static_cast<double>(c.trials)));
  }
}

// Bytes that any build on any machine must give for ever: 1000 numbered keys at 1 %.
TEST(BloomFilter, BytesAreTheSameForEver) {
  BloomFilter filter = *BloomFilter::for_capacity(1000, 0.01, {.hash = {.id = HashId::kXxh3}});
  insert_numbered(filter, 0, 1000);
  const std::string bytes = serialized(filter);
  EXPECT_EQ(filter.shape(), (BloomShape{.bits = 9586, .hash_count = 7}));
  EXPECT_EQ(bytes.size(), 192u + 1200u);
  EXPECT_EQ(crc32c(std::as_bytes(std::span(bytes))), kGoldenChecksum);
  std::vector<std::uint64_t> false_positives;
  for (std::uint64_t key = kAbsentKeys; false_positives.size() < 3; ++key) {
    if (filter.may_contain(key)) {
      false_positives.push_back(key - kAbsentKeys);
    }
  }
  EXPECT_EQ(false_positives, kGoldenFalsePositives);
}

// bit(i) = floor(x(i) m / 2^64), computed here from the header's words and not by the kernel.
TEST(BloomFilter, BitsFollowTheDocumentedFormula) {
  for (const std::uint64_t bits : {1u, 63u, 64u, 65u, 9586u, 1'000'003u}) {
    for (const std::uint64_t hash : random_values(7, 20)) {
      BloomFilter filter = *BloomFilter::for_shape({.bits = bits, .hash_count = 5}, 1);
      filter.insert(Hash128{.low = hash, .high = 0});
      std::string expected((bits + 63) / 64 * 8, '\0');
      std::uint64_t x = hash;
      for (int i = 0; i < 5; ++i) {
        const auto position = static_cast<std::uint64_t>((Uint128{x} * bits) >> 64);
        expected[position / 8] = static_cast<char>(expected[position / 8] | (1 << (position % 8)));
        x *= 0xf1357aea2e62a9c5;
      }
      EXPECT_EQ(serialized(filter).substr(192), expected) << bits << " bits, hash " << hash;
    }
  }
}

TEST(BloomFilter, BatchesAnswerAsSingleCallsDo) {
  constexpr std::uint64_t kSeed = 20261121;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  for (const std::uint64_t bits :
       {100u, 20'000u, 3'000'000u, 40'000'000u}) {  // in cache and beyond: both batch paths
    for (const std::uint32_t hash_count : {1u, 2u, 3u, 6u, 7u, 11u, 200u}) {
      BloomFilter one = *BloomFilter::for_shape({.bits = bits, .hash_count = hash_count}, 100);
      BloomFilter batch = *BloomFilter::for_shape({.bits = bits, .hash_count = hash_count}, 100);
      for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 200u, 1000u}) {
        std::vector<Hash128> hashes(size);
        for (Hash128& hash : hashes) {
          hash = {.low = random() % 2 == 0 ? random() : random() % 5000 * 0x9e3779b97f4a7c15, .high = 0};
        }
        std::vector<std::uint64_t> answers(answer_words(size), ~std::uint64_t{0});
        batch.may_contain_batch(hashes, answers);
        for (std::size_t i = 0; i < size; ++i) {
          ASSERT_EQ((answers[i / 64] >> (i % 64)) & 1, one.may_contain(hashes[i]) ? 1u : 0u);
        }
        if (size % 64 != 0) {
          ASSERT_EQ(answers.back() >> (size % 64), 0u);  // bits behind the last key are cleared
        }
        batch.insert_batch(std::span(hashes).first(size / 2));
        batch.test_and_insert_batch(std::span(hashes).subspan(size / 2), answers);
        for (std::size_t i = 0; i < size; ++i) {
          const bool is_new = one.test_and_insert(hashes[i]).is_new;
          if (const std::size_t at = i - size / 2; i >= size / 2) {
            ASSERT_EQ((answers[at / 64] >> (at % 64)) & 1, is_new ? 1u : 0u);
          }
        }
        ASSERT_EQ(serialized(one), serialized(batch))
            << bits << " bits, k " << hash_count << ", " << size << " keys";
      }
    }
  }
}

TEST(BloomFilter, TestAndInsertHearsNewOnce) {
  BloomFilter filter = *BloomFilter::for_capacity(1000, 1e-6);
  EXPECT_TRUE(filter.test_and_insert("a key"));
  EXPECT_FALSE(filter.test_and_insert("a key"));
  EXPECT_TRUE(filter.may_contain("a key"));
  EXPECT_FALSE(filter.may_contain("another"));
  const std::vector<Hash128> twice = {hash_key("b", HashSpec{}), hash_key("c", HashSpec{}),
                                      hash_key("b", HashSpec{})};
  std::vector<std::uint64_t> answers(1);
  filter.test_and_insert_batch(twice, answers);
  EXPECT_EQ(answers[0], 0b011u);
}

TEST(BloomFilter, TypedKeysAreTheirBytes) {
  BloomFilter filter = *BloomFilter::for_capacity(100, 1e-6);
  filter.insert(std::uint64_t{42});
  filter.insert(std::pair(std::string("ab"), std::string("c")));
  EXPECT_TRUE(filter.may_contain(std::string_view("\x2a\0\0\0\0\0\0\0", 8)));
  EXPECT_TRUE(filter.may_contain(std::string_view("\2ab\1c")));
  EXPECT_FALSE(filter.may_contain(std::pair(std::string("a"), std::string("bc"))));
}

TEST(BloomFilter, BuildTakesARange) {
  const std::vector<std::string> keys = {"one", "two", "three"};
  const BloomFilter filter = *BloomFilter::build(keys, 0.001);
  for (const std::string& key : keys) {
    EXPECT_TRUE(filter.may_contain(key));
  }
  EXPECT_EQ(filter.capacity(), 3u);
}

TEST(BloomFilter, ForBytesFillsTheLimit) {
  const BloomFilter filter = *BloomFilter::for_bytes(1'000'000, 0.001);
  EXPECT_EQ(filter.byte_size(), 1'000'000u);
  EXPECT_LE(predicted_fpp(filter.shape(), filter.capacity()), 0.001);
  EXPECT_GT(predicted_fpp(filter.shape(), filter.capacity() + 1), 0.001);
  EXPECT_FALSE(BloomFilter::for_bytes(0, 0.001));
  EXPECT_FALSE(BloomFilter::for_bytes(~std::uint64_t{0}, 0.001));
}

// More than 2^32 bits: positions beyond 4 billion are set and found.
TEST(BloomFilter, MoreThanFourBillionBits) {
  BloomFilter filter =
      *BloomFilter::for_shape({.bits = (std::uint64_t{1} << 32) + 12'345, .hash_count = 3}, 1000);
  const Hash128 last{.low = ~std::uint64_t{0}, .high = 0};
  filter.insert(last);
  insert_numbered(filter, 0, 1000);
  EXPECT_TRUE(filter.may_contain(last));
  EXPECT_EQ(count_maybes(filter, 0, 1000), 1000u);
  EXPECT_EQ(count_maybes(filter, kAbsentKeys, 100'000), 0u);
  EXPECT_NEAR(filter.estimated_count(), 1001, 1);
}

TEST(BloomFilter, TwoHalvesMergeToTheWholeByteForByte) {
  BloomFilter whole = *BloomFilter::for_capacity(10'000, 0.001);
  BloomFilter left = *BloomFilter::for_capacity(10'000, 0.001);
  BloomFilter right = *BloomFilter::for_capacity(10'000, 0.001);
  insert_numbered(whole, 0, 10'000);
  insert_numbered(left, 0, 4000);
  insert_numbered(right, 4000, 6000);
  ASSERT_TRUE(left.merge(right));
  EXPECT_EQ(serialized(left), serialized(whole));
}

TEST(BloomFilter, MergingUnlikeFiltersNamesWhatDiffers) {
  BloomFilter filter = *BloomFilter::for_capacity(1000, 0.01);
  const auto difference = [&filter](const BloomFilter& other) {
    const Status status = filter.merge(other);
    return status ? std::string("none") : status.error().detail();
  };
  EXPECT_EQ(difference(*BloomFilter::for_capacity(1000, 0.01)), "none");
  EXPECT_NE(difference(*BloomFilter::for_capacity(2000, 0.01))
                .find("capacity (1000 and 2000), bits (9586 and 19171)"),
            std::string::npos)
      << difference(*BloomFilter::for_capacity(2000, 0.01));
  EXPECT_NE(difference(*BloomFilter::for_capacity(1000, 0.02)).find("target fpp (0.01 and 0.02)"),
            std::string::npos);
  FilterOptions seeded;
  seeded.hash.seed = 5;
  EXPECT_NE(difference(*BloomFilter::for_capacity(1000, 0.01, seeded)).find("seed (0 and 5)"),
            std::string::npos);
  FilterOptions hex;
  hex.keys.form = KeyForm::kHex;
  EXPECT_NE(difference(*BloomFilter::for_capacity(1000, 0.01, hex)).find("key form (text and hex)"),
            std::string::npos);
}

TEST(BloomFilter, SeedsMakeDifferentFilters) {
  FilterOptions seeded;
  seeded.hash.seed = 99;
  BloomFilter filter = *BloomFilter::for_capacity(1000, 1e-6, seeded);
  filter.insert("key");
  EXPECT_TRUE(filter.may_contain("key"));
  EXPECT_FALSE(filter.may_contain(hash_key("key", HashSpec{})));  // under seed 0
}

TEST(BloomFilter, OverCapacityCountsDifferentKeys) {
  BloomFilter filter = *BloomFilter::for_capacity(1000, 0.01);
  for (int round = 0; round < 5; ++round) {
    insert_numbered(filter, 0, 900);
  }
  EXPECT_EQ(filter.inserted(), 4500u);
  EXPECT_FALSE(filter.over_capacity());  // repeats fill nothing
  insert_numbered(filter, 900, 1100);
  EXPECT_TRUE(filter.over_capacity());
  EXPECT_GT(filter.current_fpp(), filter.target_fpp());
  filter.clear();
  EXPECT_EQ(filter.inserted(), 0u);
  EXPECT_EQ(count_maybes(filter, 0, 2000), 0u);
}

TEST(BloomFilter, SizesBeyondMemoryAreRefusedWithBothNumbers) {
  const Result<BloomFilter> filter = BloomFilter::for_capacity(1'000'000'000'000, 1e-4);
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code(), ErrorCode::kCapacity);
  EXPECT_NE(filter.error().detail().find("needs 2396264594"), std::string::npos) << filter.error().detail();
}

TEST(BloomFilter, CountOfSetBitsIsTheSameByEveryKernel) {
  const std::vector<std::uint64_t> words = random_values(3, 1003);
  std::uint64_t expected = 0;
  for (const std::uint64_t word : words) {
    expected += std::bitset<64>(word).count();
  }
  EXPECT_EQ(count_set_bits(words), expected);
}

// Only a wrong writer sets bits behind the last, where no key has one.
TEST(BloomFilter, BitsBehindTheLastAreRefused) {
  const BloomFilter filter = *BloomFilter::for_shape({.bits = 100, .hash_count = 3}, 10);
  const FileParts sound = FileParts::of(serialized(filter));
  for (const std::size_t bit : {0U, 63U, 64U, 99U, 100U, 101U, 127U}) {
    FileParts parts = sound;
    parts.payload[bit / 8] = static_cast<char>(1U << (bit % 8));
    const auto opened = BloomFilter::view(FileBytes(parts.joined()).span(), {.access = Access::kCopy});
    EXPECT_EQ(opened.has_value(), bit < 100) << bit;
  }
}

// The largest size is one that memory refuses, a larger one is none that a file could have.
TEST(BloomFilter, SizesInBytesEndWhereFilesDo) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
  EXPECT_EQ(BloomFilter::for_bytes(7, 0.01).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(BloomFilter::for_bytes(8, 0.01));
  EXPECT_EQ(BloomFilter::for_bytes(kMost, 0.01).error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(BloomFilter::for_bytes(kMost + 1, 0.01).error().code(), ErrorCode::kInvalidArgument);
}

// Bits alone do not make a filter overfull: what was counted has to say it too.
TEST(BloomFilter, IsOverCapacityByKeysThatWereInserted) {
  BloomFilter filter = *BloomFilter::for_capacity(100, 0.01);
  insert_numbered(filter, 0, 300);
  EXPECT_TRUE(filter.over_capacity());
  FileParts parts = FileParts::of(serialized(filter));
  parts.header.inserted = 100;
  const auto opened = BloomFilter::view(FileBytes(parts.joined()).span(), {.access = Access::kCopy});
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_FALSE(opened->over_capacity());
}

}  // namespace
}  // namespace bloomery
