// The blocked Bloom filter: no false negatives, the predicted rate, the same bytes for ever.
#include "bloomery/filter/blocked_bloom_filter.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bloomery/filter/any_filter.h"
#include "tests/base/sanitized.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

// Never to be changed: other builds have written these bytes.
struct Golden {
  HashId hash;
  std::uint32_t fast;
  std::uint32_t dense;
  std::uint32_t fast_twelve;
};
constexpr Golden kGoldens[] = {
    {.hash = HashId::kXxh3, .fast = 2668688042, .dense = 3149887123, .fast_twelve = 602234769},
    {.hash = HashId::kMix8Xxh3, .fast = 3421968073, .dense = 2103682118, .fast_twelve = 2368978906}};

std::uint32_t checksum(const NativeFilter& filter) {
  const std::string bytes = serialized(filter);
  return crc32c(std::as_bytes(std::span(bytes)));
}

class Settings : public ::testing::TestWithParam<BlockedSetting> {};
INSTANTIATE_TEST_SUITE_P(Blocked, Settings, ::testing::Values(BlockedSetting::kFast, BlockedSetting::kDense),
                         [](const auto& p) { return p.param == BlockedSetting::kFast ? "Fast" : "Dense"; });

TEST_P(Settings, NoFalseNegativeAtAnySize) {
  for (const std::uint64_t size : {0u, 1u, 2u, 3u, 64u, 1000u, 1'000'000u}) {
    for (const double fpp : {0.3, 0.01, 1e-4}) {
      BlockedBloomFilter filter = *BlockedBloomFilter::for_capacity(size, fpp, {.setting = GetParam()});
      insert_numbered(filter, 0, size);
      EXPECT_EQ(count_maybes(filter, 0, size), size) << size << " keys at " << fpp;
    }
  }
}

TEST_P(Settings, AnEmptyFilterSaysNoToEverything) {
  const BlockedBloomFilter filter = *BlockedBloomFilter::for_capacity(1000, 0.01, {.setting = GetParam()});
  EXPECT_EQ(count_maybes(filter, 0, 10'000), 0u);
  EXPECT_EQ(filter.estimated_count(), 0);
  EXPECT_EQ(filter.current_fpp(), 0);
}

// 40,000 false positives a point make 3 % six standard deviations of their count. bench/blocked_bloom_bench.cc
// goes on to 24 bits per key.
TEST_P(Settings, MeasuredFppIsThePredictedOne) {
  if (kSanitized) {
    GTEST_SKIP() << kCountedElsewhere;
  }
  constexpr std::uint64_t kKeys = 300'000;
  for (const double bits_per_key : {8.0, 10.0, 12.0, 14.0, 16.0}) {
    const BlockedShape shape = *blocked_shape_for_bits_per_key(kKeys, bits_per_key, GetParam());
    BlockedBloomFilter filter = *BlockedBloomFilter::for_shape(shape, kKeys);
    insert_numbered(filter, 0, kKeys);
    const double predicted = predicted_fpp(shape, kKeys);
    const auto trials = static_cast<std::uint64_t>(40'000 / predicted);
    const double measured =
        static_cast<double>(count_maybes(filter, kAbsentKeys, trials)) / static_cast<double>(trials);
    EXPECT_NEAR(measured / predicted, 1, 0.03) << bits_per_key << " bits per key";
    EXPECT_NEAR(filter.estimated_count() / kKeys, 1, 0.01);
    EXPECT_NEAR(filter.current_fpp() / predicted, 1, 0.03);
  }
}

TEST_P(Settings, TwoHalvesMergeToTheWholeByteForByte) {
  const FilterOptions options{.setting = GetParam()};
  BlockedBloomFilter whole = *BlockedBloomFilter::for_capacity(10'000, 0.001, options);
  BlockedBloomFilter left = *BlockedBloomFilter::for_capacity(10'000, 0.001, options);
  BlockedBloomFilter right = *BlockedBloomFilter::for_capacity(10'000, 0.001, options);
  insert_numbered(whole, 0, 10'000);
  insert_numbered(left, 0, 4000);
  insert_numbered(right, 4000, 6000);
  ASSERT_TRUE(left.merge(right));
  EXPECT_EQ(serialized(left), serialized(whole));
}

TEST_P(Settings, TestAndInsertHearsNewOnce) {
  BlockedBloomFilter filter = *BlockedBloomFilter::for_capacity(1000, 1e-6, {.setting = GetParam()});
  EXPECT_TRUE(filter.test_and_insert("a key"));
  EXPECT_FALSE(filter.test_and_insert("a key"));
  const std::vector<Hash128> twice = {hash_key("b", HashSpec{}), hash_key("c", HashSpec{}),
                                      hash_key("b", HashSpec{})};
  std::vector<std::uint64_t> answers(1);
  filter.test_and_insert_batch(twice, answers);
  EXPECT_EQ(answers[0], 0b011u);
}

TEST_P(Settings, EveryFlippedBitAndEveryCutIsRefused) {
  BlockedBloomFilter filter = *BlockedBloomFilter::for_capacity(100, 0.01, {.setting = GetParam()});
  insert_numbered(filter, 0, 100);
  const std::string whole = serialized(filter);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto cut = std::as_bytes(std::span(whole)).first(i);
    ASSERT_FALSE(AnyFilter::view(cut, {.access = Access::kCopy})) << "cut at " << i;
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      ASSERT_FALSE(AnyFilter::view(std::as_bytes(std::span(damaged)), {.access = Access::kCopy}))
          << "byte " << i << " bit " << bit;
    }
  }
  const Result<AnyFilter> opened =
      AnyFilter::view(std::as_bytes(std::span(whole)), {.access = Access::kCopy});
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(serialized(opened->native()), whole);
}

// A wrong writer: fields out of range under right checksums.
TEST(BlockedBloomFilter, FieldsOutOfRangeAreRefused) {
  struct Case {
    std::size_t offset;
    std::uint64_t value;
    std::size_t size;
  };
  BlockedBloomFilter filter = *BlockedBloomFilter::for_capacity(100, 0.01);
  const std::string whole = serialized(filter);
  for (const Case& c : {Case{28, 7, 4}, Case{28, 17, 4}, Case{64, 0, 8}, Case{64, 513, 8}, Case{64, 64, 8},
                        Case{64, ~std::uint64_t{0}, 8}, Case{120, 0, 2}, Case{120, 32, 2}, Case{16, 1, 2}}) {
    std::string damaged = whole;
    std::memcpy(damaged.data() + c.offset, &c.value, c.size);
    auto* const header = reinterpret_cast<std::byte*>(damaged.data());
    store_little(header + 188, crc32c({header, 188}));
    const Result<AnyFilter> opened =
        AnyFilter::view(std::as_bytes(std::span(damaged)), {.access = Access::kCopy});
    EXPECT_FALSE(opened) << "offset " << c.offset << " value " << c.value;
  }
}

// Bytes that any kernel on any machine must give for ever: 1000 numbered keys, under either hash.
TEST(BlockedBloomFilter, BytesAreTheSameForEver) {
  for (const Golden& golden : kGoldens) {
    const HashSpec hash{.id = golden.hash};
    BlockedBloomFilter fast = *BlockedBloomFilter::for_capacity(1000, 0.01, {.hash = hash});
    BlockedBloomFilter dense =
        *BlockedBloomFilter::for_capacity(1000, 1e-4, {.hash = hash, .setting = BlockedSetting::kDense});
    BlockedBloomFilter twelve =
        *BlockedBloomFilter::for_shape({.words = 320, .hash_count = 12}, 1000, {.hash = hash});
    for (BlockedBloomFilter* const filter : {&fast, &dense, &twelve}) {
      insert_numbered(*filter, 0, 1000);
    }
    EXPECT_EQ(checksum(fast), golden.fast);
    EXPECT_EQ(checksum(dense), golden.dense);
    EXPECT_EQ(checksum(twelve), golden.fast_twelve);
  }
}

TEST(BlockedBloomFilter, MoreThanFourBillionBits) {
  BlockedBloomFilter filter =
      *BlockedBloomFilter::for_shape({.words = (std::uint64_t{1} << 26) + 8, .hash_count = 12}, 1000);
  insert_numbered(filter, 0, 1000);
  filter.insert(Hash128{.low = ~std::uint64_t{0}, .high = 0});
  EXPECT_TRUE(filter.may_contain(Hash128{.low = ~std::uint64_t{0}, .high = 0}));
  EXPECT_EQ(count_maybes(filter, 0, 1000), 1000u);
  EXPECT_EQ(count_maybes(filter, kAbsentKeys, 100'000), 0u);
}

TEST(BlockedBloomFilter, UnlikeFiltersDoNotMerge) {
  AnyFilter fast = *BlockedBloomFilter::for_capacity(1000, 0.01);
  const AnyFilter dense = *BlockedBloomFilter::for_capacity(1000, 0.01, {.setting = BlockedSetting::kDense});
  const AnyFilter bloom = *BloomFilter::for_capacity(1000, 0.01);
  EXPECT_NE(fast.merge(dense).error().detail().find("stride (64 and 8)"), std::string::npos)
      << fast.merge(dense).error().detail();
  EXPECT_NE(fast.merge(bloom).error().detail().find("type (blocked:fast and bloom)"), std::string::npos);
}

TEST(BlockedBloomFilter, ForBytesFillsTheLimit) {
  for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
    const BlockedBloomFilter filter = *BlockedBloomFilter::for_bytes(1'000'000, 0.001, {.setting = setting});
    EXPECT_EQ(filter.byte_size(), 1'000'000u);
    EXPECT_LE(predicted_fpp(filter.shape(), filter.capacity()), 0.001 * 1.0001);
  }
}

// A batch of one key goes another way where nobody else can touch the filter.
TEST(BlockedBloomFilter, ABatchOfOneKeyIsWhatALongOneIs) {
  const std::vector<Hash128> hashes = numbered_hashes(0, 300);
  for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
    for (const double fpp : {0.1, 1e-6}) {
      for (const Sharing sharing : {Sharing::kShared, Sharing::kExclusive}) {
        const auto empty = [&] { return *BlockedBloomFilter::for_capacity(100, fpp, {.setting = setting}); };
        BlockedBloomFilter together = empty();
        BlockedBloomFilter inserted = empty();
        BlockedBloomFilter tested = empty();
        std::vector<std::uint64_t> expected(answer_words(hashes.size()));
        ASSERT_EQ(together.test_and_insert_batch(hashes, expected), 0u);
        for (std::size_t i = 0; i < hashes.size(); ++i) {
          ASSERT_EQ(inserted.insert_batch({&hashes[i], 1}, sharing), 0u);
          std::uint64_t is_new = ~std::uint64_t{0};
          ASSERT_EQ(tested.test_and_insert_batch({&hashes[i], 1}, {&is_new, 1}, sharing), 0u);
          ASSERT_EQ(is_new, expected[i / 64] >> (i % 64) & 1) << i;
        }
        EXPECT_EQ(serialized(inserted), serialized(together));
        EXPECT_EQ(serialized(tested), serialized(together));
        EXPECT_EQ(inserted.inserted(), hashes.size());
      }
    }
  }
}

TEST(BlockedBloomFilter, ABatchOfOneKeyEndsAnException) {
  const std::vector<Hash128> hashes = numbered_hashes(0, 2);
  BlockedBloomFilter filter = *BlockedBloomFilter::for_capacity(100, 0.01);
  ASSERT_TRUE(filter.add_as_exceptions(hashes));
  ASSERT_EQ(filter.insert_batch({hashes.data(), 1}, Sharing::kExclusive), 0u);
  EXPECT_TRUE(filter.may_contain(hashes[0]));
  std::uint64_t is_new = 0;
  ASSERT_EQ(filter.test_and_insert_batch({&hashes[1], 1}, {&is_new, 1}, Sharing::kExclusive), 0u);
  EXPECT_TRUE(filter.may_contain(hashes[1]) && is_new == 1);
}

}  // namespace
}  // namespace bloomery
