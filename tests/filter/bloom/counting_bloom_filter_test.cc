// The counting filter: a Bloom filter of the keys that are in, whatever was inserted and removed before.
#include "bloomery/filter/counting_bloom_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/base/uint128.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/exceptions.h"
#include "filter/bloom/counting_kernel.h"
#include "tests/base/sanitized.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

CountingBloomFilter counting_filter(std::uint64_t counters, std::uint32_t hash_count,
                                    std::uint64_t capacity = 100) {
  return *CountingBloomFilter::for_shape({.bits = counters, .hash_count = hash_count}, capacity);
}

// A key is a number of its own here, so that positions are spread as those of hashed keys are.
Hash128 key(std::uint64_t number) {
  return hash_key(number, HashSpec{});
}

std::vector<std::uint64_t> answers_for(std::span<const Hash128> hashes) {
  return std::vector<std::uint64_t>(answer_words(hashes.size()), ~std::uint64_t{0});
}

bool answer(std::span<const std::uint64_t> answers, std::size_t i) {
  return ((answers[i / 64] >> (i % 64)) & 1) != 0;
}

TEST(CountingBloomFilter, NoFalseNegativeAtAnySizeAndNothingLeftWhenAllAreRemoved) {
  for (const std::uint64_t size : {0u, 1u, 2u, 3u, 64u, 1000u, 200'000u}) {
    for (const double fpp : {0.3, 0.01, 1e-4}) {
      CountingBloomFilter filter = *CountingBloomFilter::for_capacity(size, fpp);
      insert_numbered(filter, 0, size);
      EXPECT_EQ(count_maybes(filter, 0, size), size) << size << " keys at " << fpp;
      EXPECT_EQ(filter.inserted(), size);
      const std::vector<Hash128> hashes = numbered_hashes(0, size);
      std::vector<std::uint64_t> answers = answers_for(hashes);
      EXPECT_EQ(filter.remove_batch(hashes, answers), 0u);
      EXPECT_EQ(filter.inserted(), 0u);
      EXPECT_EQ(filter.fill_ratio(), 0);
      EXPECT_EQ(serialized(filter), serialized(*CountingBloomFilter::for_capacity(size, fpp)));
    }
  }
}

TEST(CountingBloomFilter, ItsShapeIsBloomsAtFourBitsEach) {
  for (const double fpp : {0.1, 0.01, 1e-4}) {
    const CountingBloomFilter counting = *CountingBloomFilter::for_capacity(12'345, fpp);
    const BloomFilter bloom = *BloomFilter::for_capacity(12'345, fpp);
    EXPECT_EQ(counting.shape(), bloom.shape());
    EXPECT_EQ(counting.byte_size(), (counting.shape().bits + 15) / 16 * 8);
  }
  const CountingBloomFilter limited = *CountingBloomFilter::for_bytes(1'000'007, 0.001);
  EXPECT_EQ(limited.byte_size(), 1'000'000u);
  EXPECT_EQ(limited.shape().bits, 2'000'000u);
  EXPECT_LE(predicted_fpp(limited.shape(), limited.capacity()), 0.001);
  EXPECT_GT(predicted_fpp(limited.shape(), limited.capacity() + 1), 0.001);
  EXPECT_FALSE(CountingBloomFilter::for_bytes(7, 0.001));
  EXPECT_FALSE(CountingBloomFilter::for_bytes(~std::uint64_t{0}, 0.001));
  EXPECT_FALSE(CountingBloomFilter::for_shape({.bits = 0, .hash_count = 1}, 1));
  EXPECT_FALSE(CountingBloomFilter::for_shape({.bits = 1, .hash_count = 256}, 1));
  const auto huge = CountingBloomFilter::for_capacity(1'000'000'000'000, 1e-4);
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code(), ErrorCode::kCapacity);
}

// Its answers are those of a Bloom filter of the keys that are left: filled to twice its capacity, and half
// of that removed again. Five standard deviations.
TEST(CountingBloomFilter, MeasuredFppIsThePredictedOneAfterRemoves) {
  if (kSanitized) {
    GTEST_SKIP() << kCountedElsewhere;
  }
  constexpr std::uint64_t kKeys = 100'000;
  for (const double fpp : {0.1, 0.01, 1e-3}) {
    CountingBloomFilter filter = *CountingBloomFilter::for_capacity(kKeys, fpp);
    insert_numbered(filter, 0, 2 * kKeys);
    EXPECT_TRUE(filter.over_capacity());
    const std::vector<Hash128> gone = numbered_hashes(kKeys, kKeys);
    std::vector<std::uint64_t> answers = answers_for(gone);
    EXPECT_EQ(filter.remove_batch(gone, answers), 0u);
    EXPECT_FALSE(filter.over_capacity());
    const auto trials = static_cast<std::uint64_t>(10'000 / fpp);
    const double expected = predicted_fpp(filter.shape(), kKeys) * static_cast<double>(trials);
    const auto found = static_cast<double>(count_maybes(filter, kAbsentKeys, trials));
    EXPECT_NEAR(found, expected, 5 * std::sqrt(expected) + 0.01 * expected) << "asked " << fpp;
    EXPECT_NEAR(filter.current_fpp() / predicted_fpp(filter.shape(), kKeys), 1, 0.03);
    EXPECT_NEAR(filter.estimated_count() / kKeys, 1, 0.01);
    BloomFilter bloom = *BloomFilter::for_capacity(kKeys, fpp);
    insert_numbered(bloom, 0, kKeys);
    EXPECT_EQ(found, static_cast<double>(count_maybes(bloom, kAbsentKeys, trials)));
    EXPECT_EQ(filter.fill_ratio(), bloom.fill_ratio());
  }
}

// counter(i) += 1 at floor(x(i) m / 2^64), in nibbles from the lowest on, computed here from the header.
TEST(CountingBloomFilter, CountersFollowTheDocumentedFormula) {
  for (const std::uint64_t counters : {1u, 15u, 16u, 17u, 9586u}) {
    CountingBloomFilter filter = counting_filter(counters, 5);
    std::vector<std::uint64_t> expected((counters + 15) / 16 * 16);
    for (std::uint64_t number = 0; number < 20; ++number) {
      filter.insert(key(number));
      std::uint64_t x = key(number).low;
      for (int i = 0; i < 5; ++i) {
        const auto position = static_cast<std::uint64_t>((Uint128{x} * counters) >> 64);
        expected[position] = std::min<std::uint64_t>(15, expected[position] + 1);
        x *= 0xf1357aea2e62a9c5;
      }
    }
    std::string payload;
    for (std::size_t i = 0; i < expected.size(); i += 2) {
      payload += static_cast<char>(expected[i] | expected[i + 1] << 4);
    }
    EXPECT_EQ(serialized(filter).substr(192), payload) << counters;
  }
}

TEST(CountingBloomFilter, BatchesAnswerAsSingleCallsDo) {
  constexpr std::uint64_t kSeed = 20261121;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  for (const std::uint64_t counters : {100u, 20'000u, 3'000'000u}) {  // in cache and beyond: both batch paths
    for (const std::uint32_t hash_count : {1u, 2u, 3u, 7u, 11u, 200u}) {
      CountingBloomFilter one = counting_filter(counters, hash_count);
      CountingBloomFilter batch = counting_filter(counters, hash_count);
      for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 1500u}) {
        std::vector<Hash128> hashes(size);
        std::ranges::generate(hashes, [&] { return key(random() % 3000); });
        std::vector<std::uint64_t> answers = answers_for(hashes);
        batch.insert_batch(std::span(hashes).first(size / 2));
        std::ranges::for_each(std::span(hashes).first(size / 2), [&](const auto& hash) { one.insert(hash); });
        batch.test_and_insert_batch(hashes, answers);
        for (std::size_t i = 0; i < size; ++i) {
          ASSERT_EQ(answer(answers, i), one.test_and_insert(hashes[i]).is_new);
        }
        ASSERT_EQ(serialized(one), serialized(batch));
        std::ranges::shuffle(hashes, random);
        std::ranges::fill(answers, ~std::uint64_t{0});
        std::uint64_t refused = batch.remove_batch(hashes, answers);
        for (std::size_t i = 0; i < size; ++i) {
          const bool removed = one.remove(hashes[i]);
          ASSERT_EQ(answer(answers, i), removed);
          refused -= removed ? 0U : 1U;
        }
        ASSERT_EQ(refused, 0u);
        ASSERT_EQ(serialized(one), serialized(batch));
        std::ranges::fill(answers, ~std::uint64_t{0});
        batch.may_contain_batch(hashes, answers);
        for (std::size_t i = 0; i < size; ++i) {
          ASSERT_EQ(answer(answers, i), one.may_contain(hashes[i]));
        }
        if (size % 64 != 0) {
          ASSERT_EQ(answers.back() >> (size % 64), 0u);  // bits behind the last key are cleared
        }
      }
    }
  }
}

TEST(CountingBloomFilter, RemovingWhatIsCertainlyAbsentIsRefusedAndChangesNothing) {
  CountingBloomFilter filter = *CountingBloomFilter::for_capacity(1000, 0.01);
  insert_numbered(filter, 0, 1000);
  const std::string before = serialized(filter);
  std::uint64_t refused = 0;
  std::vector<Hash128> absent;
  for (std::uint64_t number = kAbsentKeys; absent.size() < 500; ++number) {
    if (!filter.may_contain(number)) {
      absent.push_back(key(number));
      refused += filter.remove(number) ? 0U : 1U;
    }
  }
  EXPECT_EQ(refused, 500u);
  std::vector<std::uint64_t> answers = answers_for(absent);
  EXPECT_EQ(filter.remove_batch(absent, answers), 500u);
  EXPECT_TRUE(std::ranges::all_of(answers, [](std::uint64_t word) { return word == 0; }));
  EXPECT_EQ(serialized(filter), before);
  EXPECT_EQ(filter.inserted(), 1000u);
  CountingBloomFilter empty = *CountingBloomFilter::for_capacity(10, 0.01);
  EXPECT_FALSE(empty.remove("a key"));
  EXPECT_EQ(empty.inserted(), 0u);
}

// Of four positions among five counters some are hit more than once: raised, looked at and lowered by that
// much. A counter lower than a key's hits says that it is absent although all of its counters are above 0.
TEST(CountingBloomFilter, APositionThatAKeyHitsTwiceCountsTwice) {
  CountingBloomFilter filter = counting_filter(1, 3);
  filter.insert("a key");
  EXPECT_EQ(filter.count_at_most("a key"), 1u);
  EXPECT_EQ(serialized(filter).substr(192, 8), std::string("\3\0\0\0\0\0\0\0", 8));
  EXPECT_TRUE(filter.remove("a key"));
  EXPECT_FALSE(filter.remove("a key"));

  std::uint64_t unequal = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    CountingBloomFilter small = counting_filter(5, 4);
    small.insert(number);
    const std::string one = serialized(small);
    if (small.may_contain(number + 1) && small.count_at_most(number + 1) == 0u) {
      ++unequal;
      EXPECT_FALSE(small.remove(number + 1));
    }
    EXPECT_EQ(small.count_at_most(number), 1u);
    EXPECT_EQ(serialized(small), one);
    EXPECT_TRUE(small.remove(number)) << number;
    EXPECT_EQ(small.fill_ratio(), 0);
    if (HasFailure()) {
      break;
    }
  }
  EXPECT_GT(unequal, 0u);
}

TEST(CountingBloomFilter, CountAtMostIsTheCountOfAKeyAlone) {
  CountingBloomFilter filter = counting_filter(100'000, 5);
  EXPECT_EQ(filter.count_at_most("a key"), 0u);
  for (std::uint32_t times = 1; times <= 14; ++times) {
    filter.insert("a key");
    EXPECT_EQ(filter.count_at_most("a key"), times);
    EXPECT_EQ(filter.saturated_count(), 0u);
  }
  filter.insert("a key");
  EXPECT_EQ(filter.count_at_most("a key"), std::nullopt);
  EXPECT_EQ(filter.saturated_count(), 5u);
}

// 15 and more inserts saturate a key's counters; no number of removes then makes it, or a key that shares
// them, answer no.
TEST(CountingBloomFilter, SaturatedCountersStay) {
  for (const std::uint64_t inserts : {15u, 16u, 17u, 100u}) {
    CountingBloomFilter filter = counting_filter(40, 3);
    insert_numbered(filter, 0, 5);
    for (std::uint64_t i = 0; i < inserts; ++i) {
      filter.insert("often");
    }
    for (std::uint64_t i = 0; i < inserts; ++i) {
      EXPECT_TRUE(filter.remove("often")) << i << " of " << inserts;
      ASSERT_EQ(count_maybes(filter, 0, 5), 5u);
      ASSERT_TRUE(filter.may_contain("often"));
    }
    EXPECT_EQ(filter.inserted(), 5u);
    EXPECT_EQ(filter.count_at_most("often"), std::nullopt);
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(filter.remove("often"));  // for all the filter knows
    }
    EXPECT_EQ(filter.inserted(), 0u);  // and not below
    EXPECT_EQ(count_maybes(filter, 0, 5), 5u);
    filter.clear();
    EXPECT_EQ(filter.saturated_count(), 0u);
    EXPECT_FALSE(filter.may_contain("often"));
  }
}

// A key that hits a counter more than 15 times saturates it at once, and is in.
TEST(CountingBloomFilter, MoreHitsThanACounterHolds) {
  CountingBloomFilter filter = counting_filter(2, 255);
  filter.insert("a key");
  EXPECT_TRUE(filter.may_contain("a key"));
  EXPECT_EQ(filter.count_at_most("a key"), std::nullopt);
  EXPECT_TRUE(filter.remove("a key"));
  EXPECT_TRUE(filter.may_contain("a key"));
}

TEST(CountingBloomFilter, TestAndInsertHearsNewOnceAndCountsEachTime) {
  CountingBloomFilter filter = *CountingBloomFilter::for_capacity(1000, 1e-6);
  EXPECT_TRUE(filter.test_and_insert("a key"));
  EXPECT_FALSE(filter.test_and_insert("a key"));
  EXPECT_EQ(filter.inserted(), 2u);
  EXPECT_EQ(filter.count_at_most("a key"), 2u);
  EXPECT_TRUE(filter.remove("a key"));
  EXPECT_TRUE(filter.remove("a key"));
  EXPECT_TRUE(filter.test_and_insert("a key"));
  const std::vector<Hash128> twice = {hash_key("b", HashSpec{}), hash_key("c", HashSpec{}),
                                      hash_key("b", HashSpec{})};
  std::vector<std::uint64_t> answers = answers_for(twice);
  filter.test_and_insert_batch(twice, answers);
  EXPECT_EQ(answers[0], 0b011u);
}

TEST(CountingBloomFilter, TwoHalvesMergeToTheWholeByteForByte) {
  CountingBloomFilter whole = *CountingBloomFilter::for_capacity(10'000, 0.001);
  CountingBloomFilter left = *CountingBloomFilter::for_capacity(10'000, 0.001);
  CountingBloomFilter right = *CountingBloomFilter::for_capacity(10'000, 0.001);
  insert_numbered(whole, 0, 10'000);
  insert_numbered(whole, 2000, 2000);
  insert_numbered(left, 0, 4000);
  insert_numbered(right, 2000, 8000);
  ASSERT_TRUE(left.merge(right));
  EXPECT_EQ(serialized(left), serialized(whole));
  const Status unlike = left.merge(*CountingBloomFilter::for_capacity(20'000, 0.001));
  ASSERT_FALSE(unlike);
  EXPECT_NE(unlike.error().detail().find("capacity (10000 and 20000)"), std::string::npos);
  EXPECT_EQ(serialized(left), serialized(whole));
}

TEST(CountingBloomFilter, MergedCountersSaturate) {
  CountingBloomFilter left = counting_filter(1000, 4);
  CountingBloomFilter right = counting_filter(1000, 4);
  for (int i = 0; i < 8; ++i) {
    left.insert("a key");
    right.insert("a key");
  }
  ASSERT_TRUE(left.merge(right));
  EXPECT_EQ(left.count_at_most("a key"), std::nullopt);
  for (int i = 0; i < 16; ++i) {
    EXPECT_TRUE(left.remove("a key"));
  }
  EXPECT_TRUE(left.may_contain("a key"));
}

// Words of counters as the kernel's arithmetic in bytes and bits sees them, against one counter at a time.
TEST(CountingBloomFilter, WholeWordsAreTheirCountersOneByOne) {
  constexpr std::uint64_t kSeed = 4;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  std::vector<std::uint64_t> words(1003);
  std::vector<std::uint64_t> other(1003);
  std::ranges::generate(words, [&] { return random() & random(); });
  std::ranges::generate(other, [&] { return random() | random(); });
  words[0] = other[0] = ~std::uint64_t{0};
  std::vector<std::uint64_t> sums = words;
  std::vector<std::uint64_t> pinned = words;
  counting_kernel::add(sums, other);
  counting_kernel::saturate(pinned);
  std::uint64_t non_zero = 0;
  std::uint64_t saturated = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (unsigned shift = 0; shift < 64; shift += 4) {
      const auto at = [shift](std::uint64_t word) { return (word >> shift) & 15; };
      ASSERT_EQ(at(sums[i]), std::min<std::uint64_t>(15, at(words[i]) + at(other[i])));
      ASSERT_EQ(at(pinned[i]), at(words[i]) == 0 ? 0u : 15u);
      non_zero += at(words[i]) != 0 ? 1U : 0U;
      saturated += at(words[i]) == 15 ? 1U : 0U;
    }
  }
  EXPECT_EQ(counting_kernel::count_non_zero(words), non_zero);
  EXPECT_EQ(counting_kernel::count_saturated(words), saturated);
}

TEST(CountingBloomFilter, ExceptionsAreDeniedNotRemovedAndTakenBackByInserts) {
  CountingBloomFilter filter = *CountingBloomFilter::for_capacity(1000, 0.1);
  insert_numbered(filter, 0, 1000);
  const std::vector<Hash128> known = numbered_hashes(kAbsentKeys, 5000);
  std::vector<Hash128> matching;
  append_matching(filter, known, matching);
  ASSERT_GT(matching.size(), 100u);
  ASSERT_EQ(*add_exceptions(filter, known), matching.size());
  const std::string before = serialized(filter);
  EXPECT_EQ(count_maybes(filter, kAbsentKeys, 5000), 0u);
  std::vector<std::uint64_t> answers = answers_for(matching);
  EXPECT_EQ(filter.remove_batch(matching, answers), matching.size());
  EXPECT_FALSE(filter.remove(matching[0]));
  EXPECT_EQ(filter.count_at_most(matching[0]), 0u);
  EXPECT_EQ(serialized(filter), before);
  filter.insert(matching[0]);
  EXPECT_TRUE(filter.test_and_insert(matching[1]));  // it was certainly absent
  EXPECT_EQ(filter.withdrawn_exceptions(), 2u);
  EXPECT_TRUE(filter.may_contain(matching[0]) && filter.may_contain(matching[1]));
  EXPECT_TRUE(filter.remove(matching[0]));
  EXPECT_EQ(count_maybes(filter, 0, 1000), 1000u);
}

TEST(CountingBloomFilter, AnyFilterKnowsWhoCanRemove) {
  AnyFilter counting = *CountingBloomFilter::for_capacity(100, 0.01);
  EXPECT_TRUE(counting.can_remove());
  EXPECT_FALSE(counting.is_static());
  EXPECT_EQ(counting.type_name(), "counting");
  EXPECT_EQ(counting.bits(), 959u * 4);
  EXPECT_EQ(counting.hash_count(), 7u);
  EXPECT_FALSE(AnyFilter(*BloomFilter::for_capacity(100, 0.01)).can_remove());
  EXPECT_FALSE(AnyFilter(*BlockedBloomFilter::for_capacity(100, 0.01)).can_remove());
  const std::vector<Hash128> hashes = numbered_hashes(0, 70);
  std::vector<std::uint64_t> answers = answers_for(hashes);
  EXPECT_EQ(counting.insert_batch(std::span(hashes).first(69)), 0u);
  EXPECT_NEAR(counting.estimated_count(), 69, 5);
  EXPECT_EQ(counting.remove_batch(hashes, answers), 1u);
  EXPECT_EQ(answers, (std::vector<std::uint64_t>{~std::uint64_t{0}, 0b11111}));
  EXPECT_EQ(counting.fill_ratio(), 0);
  const Status unlike = counting.merge(AnyFilter(*BloomFilter::for_capacity(100, 0.01)));
  ASSERT_FALSE(unlike);
  EXPECT_NE(unlike.error().detail().find("type (counting and bloom)"), std::string::npos);
}

TEST(CountingBloomFilter, SizesInBytesEndWhereFilesDo) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 55;
  EXPECT_EQ(CountingBloomFilter::for_bytes(7, 0.01).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(CountingBloomFilter::for_bytes(8, 0.01));
  EXPECT_EQ(CountingBloomFilter::for_bytes(kMost, 0.01).error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(CountingBloomFilter::for_bytes(kMost + 1, 0.01).error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace bloomery
