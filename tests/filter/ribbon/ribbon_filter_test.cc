// The ribbon filter: no false negatives, the asked rate, the same bytes however it is built.
#include "bloomery/filter/ribbon_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/ribbon_builder.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "tests/base/sanitized.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

RibbonFilter build_numbered(std::uint64_t count, double fpp, const FilterOptions& options = {}) {
  Result<RibbonFilter> filter =
      RibbonFilter::build_from_hashes(numbered_hashes(0, count, options.hash.seed), fpp, options);
  EXPECT_TRUE(filter) << filter.error().to_string();
  return std::move(*filter);
}

void expect_all_in(std::span<const Hash128> hashes, double fpp) {
  const Result<RibbonFilter> filter = RibbonFilter::build_from_hashes(hashes, fpp);
  ASSERT_TRUE(filter) << filter.error().to_string();
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  filter->may_contain_batch(hashes, answers);
  std::uint64_t maybes = 0;
  for (const std::uint64_t word : answers) {
    maybes += static_cast<std::uint64_t>(std::popcount(word));
  }
  ASSERT_EQ(maybes, hashes.size()) << hashes.size() << " keys at " << fpp;
  EXPECT_EQ(filter->inserted(), hashes.size());
  EXPECT_TRUE(filter->verify());
}

TEST(RibbonFilter, NoFalseNegativeAtAnySize) {
  const std::vector<Hash128> hashes = numbered_hashes(0, (std::size_t{1} << 17) + 1);
  std::vector<std::size_t> sizes = {0,   2,   3,   5,    7,    11,   13,   31,   61,     101,    127,
                                    157, 163, 167, 1009, 2003, 4999, 9973, 7919, 65'521, 99'991, 131'071};
  for (std::size_t power = 1; power <= std::size_t{1} << 17; power *= 2) {
    sizes.insert(sizes.end(), {power - 1, power, power + 1});
  }
  for (const std::size_t size : sizes) {
    for (const double fpp : {0.7, 0.01, 1e-6}) {
      expect_all_in(std::span(hashes).first(size), fpp);
    }
  }
}

// Around the sizes where blocks and buckets are added one by one.
TEST(RibbonFilter, NoFalseNegativeAtAnyOfTwoHundredNeighbouringSizes) {
  const std::vector<Hash128> hashes = numbered_hashes(0, 11'600);
  for (std::size_t size = 11'400; size <= 11'600; ++size) {
    expect_all_in(std::span(hashes).first(size), 1.0 / 256);
  }
}

TEST(RibbonFilter, AnEmptyFilterSaysNoToEverything) {
  const RibbonFilter filter = build_numbered(0, 0.01);
  EXPECT_EQ(count_maybes(filter, 0, 10'000), 0u);
  EXPECT_EQ(filter.current_fpp(), 0);
  EXPECT_EQ(filter.inserted(), 0u);
  EXPECT_EQ(filter.shard_count(), 1u);
  EXPECT_TRUE(filter.is_whole());
}

// Within the 99.9 % interval of at most the asked rate, and not below 0.97 of it less that interval: a rate
// that is too good is space that is lost.
void expect_fpp(const RibbonFilter& filter, double fpp, std::uint64_t trials) {
  const double expected = fpp * static_cast<double>(trials);
  const auto measured = static_cast<double>(count_maybes(filter, kAbsentKeys, trials));
  EXPECT_LE(measured, expected + confidence(expected)) << filter.inserted() << " keys at " << fpp;
  EXPECT_GE(measured, 0.97 * expected - confidence(expected)) << filter.inserted() << " keys at " << fpp;
}

TEST(RibbonFilter, MeasuredFppIsTheAskedOne) {
  if (kSanitized) {
    GTEST_SKIP() << kCountedElsewhere;
  }
  for (const std::uint64_t keys : {10'000u, 200'000u}) {
    for (const double fpp : {0.5, 0.1, 0.01, 1e-3, 1e-4}) {
      const auto trials = static_cast<std::uint64_t>(std::clamp(4000 / fpp, 400'000.0, 4e6));
      expect_fpp(build_numbered(keys, fpp), fpp, trials);
    }
  }
}

// Between powers of two, where both widths have their share, and above one half, where one of them is none.
TEST(RibbonFilter, MeasuredFppIsTheAskedOneBetweenPowersOfTwo) {
  if (kSanitized) {
    GTEST_SKIP() << kCountedElsewhere;
  }
  for (const double fpp : {0.9, 0.75, 0.6, 0.3, 0.26, 0.09, 0.03, 0.002}) {
    const auto trials = static_cast<std::uint64_t>(std::clamp(4000 / fpp, 400'000.0, 4e6));
    expect_fpp(build_numbered(50'000, fpp), fpp, trials);
  }
}

TEST(RibbonFilter, MeasuredFppIsTheAskedOneFarBelow) {
  if (kSanitized) {
    GTEST_SKIP() << kCountedElsewhere;
  }
  expect_fpp(build_numbered(50'000, 1e-5), 1e-5, 3'000'000);
}

// Small sets are one dense system of r + 1 columns: at most the asked rate.
TEST(RibbonFilter, SmallSetsKeepTheirFpp) {
  for (const std::uint64_t keys : {1u, 10u, 100u, 160u, 161u, 500u}) {
    for (const double fpp : {0.5, 0.1, 0.01}) {
      const double expected = fpp * 200'000;
      const auto measured =
          static_cast<double>(count_maybes(build_numbered(keys, fpp), kAbsentKeys, 200'000));
      EXPECT_LE(measured, expected + confidence(expected)) << keys << " keys at " << fpp;
    }
  }
}

// What the header of ribbon_sizing.h promises.
TEST(RibbonFilter, FromTenThousandKeysTheSizeIsThePredictedOneToOnePerCentAndThreeWords) {
  for (const double fpp : {0.5, 0.1, 0.01, 1e-4, 1e-9}) {
    for (const std::uint64_t keys : {10'000u, 30'000u, 65'537u, 131'072u, 300'000u}) {
      const auto found = static_cast<double>(build_numbered(keys, fpp).byte_size());
      const auto predicted = static_cast<double>(predicted_ribbon_bytes(keys, fpp));
      EXPECT_NEAR(found, predicted, 0.01 * predicted + 24) << keys << " keys at " << fpp;
    }
  }
}

// An estimate: 1.5 per cent and a word or two, 10 per cent for a few hundred keys.
TEST(RibbonFilter, TheSizeIsSeldomMoreThanThePredictedOne) {
  for (const double fpp : {0.5, 0.1, 0.01, 1e-4, 1e-9}) {
    for (const std::uint64_t keys : {0u, 1u, 2u, 10u, 100u, 160u, 161u, 162u, 200u, 300u, 500u, 1000u, 2000u,
                                     3000u, 5000u, 7000u, 9999u}) {
      const double predicted = static_cast<double>(predicted_ribbon_bytes(keys, fpp));
      EXPECT_LE(static_cast<double>(build_numbered(keys, fpp).byte_size()),
                predicted * (keys < 1000 ? 1.1 : 1.015) + 16)
          << keys << " keys at " << fpp;
    }
  }
}

// The order of keys, their repeats, the number of threads and the memory do not show.
TEST(RibbonFilter, TheSameSetGivesTheSameBytes) {
  std::mt19937_64 random(kTestSeed);
  std::vector<Hash128> hashes = numbered_hashes(0, 300'000);
  const std::string expected = serialized(*RibbonFilter::build_from_hashes(hashes, 0.003, {.threads = 1}));
  std::shuffle(hashes.begin(), hashes.end(), random);
  hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + 100'000);
  for (const unsigned threads : {1u, 2u, 5u}) {
    EXPECT_EQ(serialized(*RibbonFilter::build_from_hashes(hashes, 0.003, {.threads = threads})), expected)
        << threads << " threads, seed " << kTestSeed;
  }
  for (Hash128& hash : hashes) {
    hash.high = random();  // only low words count
  }
  for (const std::uint64_t memory : {kMinRibbonMemory, std::uint64_t{200} << 20, kUnlimitedMemory}) {
    RibbonBuilder builder = *RibbonBuilder::create(0.003, {.memory_bytes = memory});
    for (std::size_t first = 0; first < hashes.size(); first += 77'777) {
      const auto rest = std::span(hashes).subspan(first);
      ASSERT_TRUE(builder.add(rest.first(std::min<std::size_t>(rest.size(), 77'777))));
    }
    EXPECT_EQ(builder.added(), hashes.size());
    EXPECT_EQ(serialized(*builder.finish()), expected) << memory << " bytes of memory";
  }
}

TEST(RibbonFilter, TheSeedOfTheHashDecidesTheBytes) {
  const RibbonFilter zero = build_numbered(1000, 0.01);
  const RibbonFilter seven = build_numbered(1000, 0.01, {.hash = {.seed = 7}});
  EXPECT_EQ(seven.hash_spec().seed, 7u);
  EXPECT_EQ(count_maybes(seven, 0, 1000), 1000u);
  EXPECT_NE(serialized(zero), serialized(seven));
}

TEST(RibbonFilter, TypedKeysGoInAndAreFound) {
  const std::vector<std::string> words = {"hammer", "", "tongs", "anvil", "bellows", "hammer"};
  const RibbonFilter strings = *RibbonFilter::build(words, 1e-6);
  EXPECT_EQ(strings.inserted(), 5u);
  for (const std::string& word : words) {
    EXPECT_TRUE(strings.may_contain(word)) << word;
  }
  EXPECT_FALSE(strings.may_contain("hammers"));
  std::vector<std::uint32_t> numbers(5000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::uint32_t>(i * i);
  }
  const RibbonFilter integers = *RibbonFilter::build(numbers, 1e-6, {.hash = {.seed = 99}, .threads = 1});
  for (const std::uint32_t number : numbers) {
    EXPECT_TRUE(integers.may_contain(number)) << number;
  }
  EXPECT_FALSE(integers.may_contain(std::uint32_t{2}));
  const RibbonFilter pairs =
      *RibbonFilter::build(std::vector<std::pair<int, std::string>>{{1, "a"}, {2, "b"}}, 1e-6);
  EXPECT_TRUE(pairs.may_contain(std::pair(2, std::string("b"))));
  EXPECT_FALSE(pairs.may_contain(std::pair(2, std::string("a"))));
}

TEST(RibbonFilter, SingleAndBatchedAnswersAgree) {
  const RibbonFilter filter = build_numbered(150'000, 0.2);
  const std::vector<Hash128> hashes = numbered_hashes(149'000, 5000);
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  filter.may_contain_batch(hashes, answers);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_EQ(((answers[i / 64] >> (i % 64)) & 1) != 0, filter.may_contain(hashes[i])) << i;
  }
  filter.may_contain_batch({}, {});
}

TEST(RibbonFilter, SavedOpenedViewedAndCopiedAnswerAlike) {
  const TestFolder folder;
  const std::string path = folder.path("a.ribbon");
  RibbonFilter filter = build_numbered(140'000, 0.05);
  ASSERT_TRUE(filter.set_metadata("made by a test"));
  ASSERT_TRUE(filter.save(path));
  const std::string bytes = serialized(filter);
  EXPECT_EQ(folder.read("a.ribbon"), bytes);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.ribbon"});
  const std::uint64_t false_positives = count_maybes(filter, kAbsentKeys, 50'000);
  const auto check = [&](const Result<RibbonFilter>& opened) {
    ASSERT_TRUE(opened) << opened.error().to_string();
    EXPECT_EQ(opened->metadata(), "made by a test");
    EXPECT_EQ(opened->columns(), 4u);
    EXPECT_EQ(opened->shard_count(), 2u);
    EXPECT_EQ(opened->held_shards(), 2u);
    EXPECT_EQ(opened->first_shard(), 0u);
    EXPECT_EQ(opened->inserted(), 140'000u);
    EXPECT_EQ(opened->target_fpp(), 0.05);
    EXPECT_EQ(opened->current_fpp(), 0.05);
    EXPECT_EQ(serialized(*opened), bytes);
    EXPECT_EQ(count_maybes(*opened, 0, 140'000), 140'000u);
    EXPECT_EQ(count_maybes(*opened, kAbsentKeys, 50'000), false_positives);
    EXPECT_TRUE(opened->verify());
  };
  for (const Access access : {Access::kMap, Access::kCopy}) {
    for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
      const OpenOptions options{.access = access, .verify = verify};
      check(RibbonFilter::open(path, options));
      check(RibbonFilter::view(std::as_bytes(std::span(bytes)), options));
    }
  }
}

// The pages are asked for in three rounds: of keys of both bands and of the tail, in shards that are verified and not.
TEST(RibbonFilter, AColdFilterAnswersAsAWarmOne) {
  const TestFolder folder;
  for (const std::uint64_t count : {0U, 3U, 1000U, 300'000U}) {
    SCOPED_TRACE(count);
    const RibbonFilter built = build_numbered(count, 0.01);
    const std::string path = folder.path(std::to_string(count));
    ASSERT_TRUE(built.save(path));
    const auto hashes = numbered_hashes(0, count + 5000);
    std::vector<std::uint64_t> expected(answer_words(hashes.size()));
    built.may_contain_batch(hashes, expected);
    for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
      const auto cold = RibbonFilter::open(path, {.verify = verify, .is_cold = true});
      ASSERT_TRUE(cold) << cold.error().to_string();
      for (int round = 0; round < 2; ++round) {  // the shards are verified in the second
        std::vector<std::uint64_t> answers(expected.size());
        cold->may_contain_batch(hashes, answers);
        EXPECT_EQ(answers, expected);
      }
      EXPECT_TRUE(cold->status());
    }
    std::string bytes = serialized(built);
    if (count == 300'000U) {
      bytes[bytes.size() - 100] = static_cast<char>(~bytes[bytes.size() - 100]);
      folder.write("damaged", bytes);
      const auto damaged = RibbonFilter::open(folder.path("damaged"), {.is_cold = true});
      ASSERT_TRUE(damaged) << damaged.error().to_string();
      std::vector<std::uint64_t> answers(expected.size());
      damaged->may_contain_batch(hashes, answers);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        EXPECT_EQ(answers[i] & expected[i], expected[i]) << "no maybe became a no";
      }
      EXPECT_FALSE(damaged->status());
    }
  }
}

TEST(RibbonFilter, MetadataOfABuildIsKept) {
  RibbonBuilder builder = *RibbonBuilder::create(0.01, {.metadata = std::string("{\"a\":\0}", 7)});
  ASSERT_TRUE(builder.add(numbered_hashes(0, 100)));
  const RibbonFilter filter = *builder.finish();
  const std::string bytes = serialized(filter);
  const Result<RibbonFilter> viewed = RibbonFilter::view(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(viewed) << viewed.error().to_string();
  EXPECT_EQ(viewed->metadata(), std::string("{\"a\":\0}", 7));
}

TEST(RibbonFilter, AnUpdateInPlaceIsRefusedAndLeavesTheFile) {
  const TestFolder folder;
  const std::string path = folder.path("static.ribbon");
  ASSERT_TRUE(build_numbered(1000, 0.01).save(path));
  const std::string before = folder.read("static.ribbon");
  const Result<RibbonFilter> ribbon = RibbonFilter::open(path, {.access = Access::kUpdateInPlace});
  ASSERT_FALSE(ribbon);
  EXPECT_EQ(ribbon.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(ribbon.error().to_string().find("static"), std::string::npos);
  const Result<AnyFilter> any = AnyFilter::open(path, {.access = Access::kUpdateInPlace});
  ASSERT_FALSE(any);
  EXPECT_EQ(any.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(folder.read("static.ribbon"), before);
}

// The type number is on disk; other types' classes refuse the file, AnyFilter takes it for what it is.
TEST(RibbonFilter, TheHeaderSaysTypeThree) {
  const TestFolder folder;
  const std::string path = folder.path("typed.ribbon");
  ASSERT_TRUE(build_numbered(1000, 0.01).save(path));
  const std::string bytes = folder.read("typed.ribbon");
  EXPECT_EQ(bytes[16], '\3');
  EXPECT_EQ(bytes[17], '\0');
  EXPECT_EQ(BloomFilter::open(path).error().code(), ErrorCode::kInvalidArgument);
  ASSERT_TRUE(BloomFilter::for_capacity(10, 0.01)->save(folder.path("typed.bloom")));
  EXPECT_EQ(RibbonFilter::open(folder.path("typed.bloom")).error().code(), ErrorCode::kInvalidArgument);
  const Result<AnyFilter> any = AnyFilter::open(path);
  ASSERT_TRUE(any) << any.error().to_string();
  EXPECT_EQ(any->type_name(), "ribbon");
  EXPECT_TRUE(any->is_static());
  EXPECT_EQ(any->hash_count(), 6u);
  EXPECT_EQ(any->bits(), any->native().byte_size() * 8);
  EXPECT_EQ(any->fill_ratio(), 1);
  EXPECT_EQ(any->estimated_count(), 1000);
  EXPECT_EQ(any->current_fpp(), 0.01);
  EXPECT_FALSE(any->over_capacity());
  EXPECT_TRUE(any->status());
  EXPECT_TRUE(any->verify());
  EXPECT_TRUE(any->may_contain(hash_key(std::uint64_t{5}, HashSpec{})));
}

TEST(RibbonFilter, AnyFiltersOfRibbonsDoNotMergeWithOthersNorOverTheSameKeys) {
  AnyFilter ribbon = build_numbered(1000, 0.01);
  const AnyFilter bloom = *BloomFilter::for_capacity(1000, 0.01);
  const Status types = ribbon.merge(bloom);
  ASSERT_FALSE(types);
  EXPECT_NE(types.error().detail().find("type (ribbon and bloom)"), std::string::npos);
  const AnyFilter again = build_numbered(1000, 0.01);
  const Status overlap = ribbon.merge(again);
  ASSERT_FALSE(overlap);
  EXPECT_NE(overlap.error().detail().find("static"), std::string::npos) << overlap.error().detail();
  EXPECT_TRUE(ribbon.may_contain(hash_key(std::uint64_t{5}, HashSpec{})));  // it is still what it was
}

TEST(RibbonFilter, WhatCannotBeBuiltIsRefused) {
  const std::vector<Hash128> hashes = numbered_hashes(0, 100);
  for (const double fpp : {0.0, 1.0, -1.0, 1e-19}) {
    const Result<RibbonFilter> filter = RibbonFilter::build_from_hashes(hashes, fpp);
    ASSERT_FALSE(filter) << fpp;
    EXPECT_EQ(filter.error().code(), ErrorCode::kInvalidArgument);
  }
}

// 2^-59 is the least fpp that a ribbon can be asked for, of the fewest keys.
TEST(RibbonFilter, HasAsManyColumnsAsThereCanBe) {
  const std::vector<Hash128> hashes = numbered_hashes(0, 1);
  RibbonBuilder builder = *RibbonBuilder::create(std::ldexp(1.0, -59));
  ASSERT_TRUE(builder.add(hashes));
  const Result<RibbonFilter> filter = builder.finish();
  ASSERT_TRUE(filter) << filter.error().to_string();
  const std::string bytes = serialized(*filter);
  constexpr std::size_t kColumnsAt = 28;
  EXPECT_EQ(bytes[kColumnsAt], 59);
  const Result<RibbonFilter> viewed = RibbonFilter::view(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(viewed) << viewed.error().to_string();
  EXPECT_EQ(maybes(*viewed, hashes), hashes.size());
}

}  // namespace
}  // namespace bloomery
