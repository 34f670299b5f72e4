// The worked examples of docs/formats/native.md are filters, and those that its text describes.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/counting_bloom_filter.h"
#include "bloomery/filter/exact_set.h"
#include "bloomery/filter/fuse_builder.h"
#include "bloomery/filter/quotient_filter.h"
#include "bloomery/filter/ribbon_builder.h"
#include "bloomery/filter/ribbon_exceptions.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_filter.h"
#include "page_example.h"

namespace bloomery {
namespace {

// The files of the page and the golden ones were made when every key was hashed by XXH3-128.
const HashSpec kXxh3 = {.id = HashId::kXxh3};

std::string example_bytes(const std::string& fence = "```hex") {
  return page_example("native.md", fence);
}

BloomFilter described_filter() {
  BloomFilter filter = *BloomFilter::for_capacity(4, 0.1, {.hash = kXxh3});
  filter.insert("apple");
  filter.insert("banana");
  EXPECT_TRUE(filter.set_metadata("fruit"));
  return filter;
}

TEST(NativeFormatPage, ItsExampleIsTheFilterItDescribes) {
  std::string written;
  described_filter().serialize(written);
  EXPECT_EQ(example_bytes(), written);
}

TEST(NativeFormatPage, ItsExampleOpensAndAnswers) {
  const std::string bytes = example_bytes();
  const Result<BloomFilter> filter =
      BloomFilter::view(std::as_bytes(std::span(bytes)), {.access = Access::kCopy});
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_EQ(filter->shape(), (BloomShape{.bits = 20, .hash_count = 3}));
  EXPECT_EQ(filter->capacity(), 4u);
  EXPECT_EQ(filter->inserted(), 2u);
  EXPECT_EQ(filter->metadata(), "fruit");
  EXPECT_TRUE(filter->may_contain("apple"));
  EXPECT_TRUE(filter->may_contain("banana"));
  EXPECT_EQ(hash_key("apple", kXxh3).low, 0x5cf5d97583ab91bbu);
  EXPECT_EQ(hash_key("banana", kXxh3).low, 0x5583a5477f1ed1edu);
}

std::string golden_file(const std::string& name) {
  std::ifstream file(std::string(BLOOMERY_SOURCE) + "/tests/golden/native/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The same file as it was written when version 1 began: never to be regenerated.
TEST(NativeFormatPage, ItsExampleIsTheGoldenFile) {
  const std::string golden = golden_file("apple_banana_v1.bloom");
  EXPECT_EQ(golden.size(), 205u);
  EXPECT_EQ(example_bytes(), golden);
}

// What new files have: the page's numbers for hash id 3, and where its keys are.
TEST(NativeFormatPage, ItsShortKeysAreHashedAsItSays) {
  EXPECT_EQ(hash_key("apple", HashSpec{}).low, 0x5cdc1f6517bfbbadu);
  EXPECT_EQ(hash_key(std::int64_t{42}, HashSpec{}).low, 0x028052fef00930d0u);
  BloomFilter filter = *BloomFilter::for_capacity(4, 0.1);
  EXPECT_EQ(filter.hash_spec().id, HashId::kMix8Xxh3);
  filter.insert("apple");
  EXPECT_TRUE(filter.may_contain("apple"));
}

TEST(NativeFormatPage, ItsExceptionIsTheFilterItDescribesAndTheGoldenFile) {
  BloomFilter filter = described_filter();
  const Hash128 grape = hash_key("grape", kXxh3);
  EXPECT_TRUE(filter.may_contain(grape));
  EXPECT_TRUE(filter.add_as_exceptions({&grape, 1}));
  EXPECT_FALSE(filter.may_contain(grape));
  std::string written;
  filter.serialize(written);
  EXPECT_EQ(example_bytes("```hex exceptions"), written);
  EXPECT_EQ(written, golden_file("apple_banana_not_grape_v1.bloom"));
}

TEST(NativeFormatPage, ItsCountersAreTheFilterItDescribesAndTheGoldenFile) {
  CountingBloomFilter filter = *CountingBloomFilter::for_capacity(4, 0.1, {.hash = kXxh3});
  for (const char* key : {"apple", "banana", "cherry", "apple"}) {
    filter.insert(key);
  }
  EXPECT_TRUE(filter.remove("cherry"));
  EXPECT_TRUE(filter.set_metadata("fruit"));
  std::string written;
  filter.serialize(written);
  EXPECT_EQ(example_bytes("```hex counting"), written);
  EXPECT_EQ(written, golden_file("apple_apple_banana_v1.counting"));
  const auto opened = CountingBloomFilter::view(std::as_bytes(std::span(written)), {.access = Access::kCopy});
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(opened->shape(), (BloomShape{.bits = 20, .hash_count = 3}));
  EXPECT_EQ(opened->inserted(), 3u);
  EXPECT_EQ(opened->count_at_most("apple"), 2u);
  EXPECT_EQ(opened->count_at_most("banana"), 1u);
  EXPECT_EQ(opened->count_at_most("cherry"), 0u);
}

// A ribbon with an exception column, as it was written when exceptions entered version 1.
TEST(NativeFormatPage, ARibbonWithExceptionsIsTheGoldenFile) {
  const std::vector<std::string> fruits = {"apple", "banana", "cherry"};
  std::vector<std::string> words;
  for (int i = 1; i <= 300; ++i) {
    words.push_back("word " + std::to_string(i));
  }
  Result<RibbonFilter> filter = build_with_exceptions(fruits, words, 0.1, {.hash = kXxh3});
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_TRUE(filter->set_metadata("fruit"));
  EXPECT_EQ(filter->rejected_keys(), 43u);
  std::string written;
  filter->serialize(written);
  EXPECT_EQ(written, golden_file("three_fruits_no_words_v1.ribbon"));
}

Result<RibbonFilter> ribbon_of(std::span<const std::string> keys, double fpp, const std::string& note) {
  RibbonBuildOptions options;
  options.filter.hash = kXxh3;
  options.capacity = keys.size();
  options.metadata = note;
  BLOOMERY_ASSIGN_OR_RETURN(RibbonBuilder builder, RibbonBuilder::create(fpp, options));
  for (const std::string& key : keys) {
    const Hash128 hash = hash_key(key, kXxh3);
    BLOOMERY_RETURN_IF_ERROR(builder.add({&hash, 1}));
  }
  return builder.finish();
}

TEST(NativeFormatPage, ItsRibbonIsTheFilterItDescribesAndTheGoldenFile) {
  const std::vector<std::string> keys = {"apple", "banana", "cherry"};
  std::string written;
  ribbon_of(keys, 0.1, "fruit")->serialize(written);
  EXPECT_EQ(example_bytes("```hex ribbon"), written);
  EXPECT_EQ(written, golden_file("three_fruits_v1.ribbon"));
  const auto filter = RibbonFilter::view(std::as_bytes(std::span(written)), {.access = Access::kCopy});
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_EQ(filter->columns(), 3u);
  for (const std::string& key : keys) {
    EXPECT_TRUE(filter->may_contain(key)) << key;
  }
  EXPECT_FALSE(filter->may_contain("grape"));
}

Result<FuseFilter> fuse_of(std::span<const std::string> keys, double fpp, const std::string& note,
                           BlockedSetting setting) {
  StaticBuildOptions options;
  options.filter.hash = kXxh3;
  options.filter.setting = setting;
  options.capacity = keys.size();
  options.metadata = note;
  BLOOMERY_ASSIGN_OR_RETURN(FuseBuilder builder, FuseBuilder::create(fpp, options));
  for (const std::string& key : keys) {
    const Hash128 hash = hash_key(key, kXxh3);
    BLOOMERY_RETURN_IF_ERROR(builder.add({&hash, 1}));
  }
  return builder.finish();
}

TEST(NativeFormatPage, ItsFuseFilterIsTheFilterItDescribesAndTheGoldenFile) {
  const std::vector<std::string> keys = {"apple", "banana", "cherry"};
  std::string written;
  fuse_of(keys, 1.0 / 256, "fruit", BlockedSetting::kFast)->serialize(written);
  EXPECT_EQ(example_bytes("```hex fuse"), written);
  EXPECT_EQ(written, golden_file("three_fruits_v1.fuse"));
  const auto filter = FuseFilter::view(std::as_bytes(std::span(written)), {.access = Access::kCopy});
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_EQ(filter->shape().bits, 8u);
  for (const std::string& key : keys) {
    EXPECT_TRUE(filter->may_contain(key)) << key;
  }
  EXPECT_FALSE(filter->may_contain("grape"));
}

// Four cells of seven bits for a key: the bytes of 2,000 keys as they were when fuse filters entered version 1.
TEST(NativeFormatPage, AFuseFilterOfManyKeysIsTheGoldenFile) {
  std::vector<std::string> keys;
  for (int i = 0; i < 2000; ++i) {
    keys.push_back("key " + std::to_string(i));
  }
  std::string written;
  fuse_of(keys, 0.01, "", BlockedSetting::kDense)->serialize(written);
  EXPECT_EQ(written, golden_file("two_thousand_keys_v1.fuse"));
}

// Bands, bumped keys and two widths: the bytes of 2,000 keys as they were when ribbons entered version 1.
TEST(NativeFormatPage, ARibbonOfManyKeysIsTheGoldenFile) {
  std::vector<std::string> keys;
  for (int i = 0; i < 2000; ++i) {
    keys.push_back("key " + std::to_string(i));
  }
  std::string written;
  ribbon_of(keys, 0.01, "")->serialize(written);
  EXPECT_EQ(written, golden_file("two_thousand_keys_v1.ribbon"));
}

// Two shards, each with a second band, two widths and a directory in the payload: too large for a golden
// file, so the checksum of its bytes as they were when ribbons entered version 1.
TEST(NativeFormatPage, ARibbonOfTwoShardsHasTheBytesItHad) {
  std::vector<std::string> keys;
  for (int i = 0; i < 140'000; ++i) {
    keys.push_back("key " + std::to_string(i));
  }
  const Result<RibbonFilter> filter = ribbon_of(keys, 1e-4, "");
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_EQ(filter->shard_count(), 2u);
  std::string written;
  filter->serialize(written);
  EXPECT_EQ(written.size(), 234'728u);
  EXPECT_EQ(crc32c(std::as_bytes(std::span(written))), 865'661'216u);
}

TEST(NativeFormatPage, ItsQuotientFilterIsTheOneItDescribesAndTheGoldenFile) {
  QuotientFilter filter = *QuotientFilter::for_shape(
      {.quotients = 64, .depth = 0, .remainder_bits = 2, .growth_doublings = 0}, 4, 0.1, {.hash = kXxh3});
  for (const char* const key : {"apple", "banana", "banana", "banana", "banana"}) {
    EXPECT_TRUE(filter.insert(key));
  }
  EXPECT_TRUE(filter.set_metadata("fruit"));
  std::string written;
  filter.serialize(written);
  EXPECT_EQ(example_bytes("```hex quotient"), written);
  EXPECT_EQ(written, golden_file("apple_banana_v1.quotient"));
  const auto again = QuotientFilter::view(std::as_bytes(std::span(written)), {.access = Access::kCopy});
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(again->count_at_most("apple"), 1u);
  EXPECT_EQ(again->count_at_most("banana"), 4u);
  EXPECT_FALSE(again->may_contain("grape"));
}

// Twice its capacity, two segments: the bytes of 2,000 keys as they were when the type entered version 1.
TEST(NativeFormatPage, AQuotientFilterThatGrewIsTheGoldenFile) {
  QuotientFilter filter = *QuotientFilter::for_capacity(1000, 0.01, {.hash = kXxh3, .growth_doublings = 2});
  for (int i = 0; i < 2000; ++i) {
    EXPECT_TRUE(filter.insert("key " + std::to_string(i)));
  }
  EXPECT_EQ(filter.segment_count(), 2u);
  std::string written;
  filter.serialize(written);
  EXPECT_EQ(written, golden_file("two_thousand_keys_v1.quotient"));
}

void insert_named(ScalableFilter& filter, int keys) {
  for (int i = 0; i < keys; ++i) {
    EXPECT_TRUE(filter.insert("key " + std::to_string(i)));
  }
}

int count_named(const ScalableFilter& filter, int begin, int end) {
  int found = 0;
  for (int i = begin; i < end; ++i) {
    found += filter.may_contain("key " + std::to_string(i)) ? 1 : 0;
  }
  return found;
}

TEST(NativeFormatPage, ItsScalableFilterIsTheOneItDescribesAndTheGoldenFile) {
  ScalableFilter filter = *ScalableFilter::for_capacity(1, 0.1, {.hash = kXxh3});
  EXPECT_TRUE(filter.insert("apple"));
  EXPECT_TRUE(filter.insert("banana"));
  EXPECT_TRUE(filter.set_metadata("fruit"));
  std::string written;
  filter.serialize(written);
  EXPECT_EQ(example_bytes("```hex scalable"), written);
  EXPECT_EQ(written, golden_file("apple_banana_v2.scalable"));
  const auto again = ScalableFilter::view(std::as_bytes(std::span(written)), {.access = Access::kCopy});
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(again->layer_count(), 2u);
  EXPECT_TRUE(again->may_contain("apple"));
  EXPECT_TRUE(again->may_contain("banana"));
  EXPECT_FALSE(again->may_contain("grape"));
}

// Layers of overlapping windows.
TEST(NativeFormatPage, AScalableFilterThatGrewIsTheGoldenFile) {
  ScalableFilter filter =
      *ScalableFilter::for_capacity(100, 0.01, {.hash = kXxh3, .setting = BlockedSetting::kDense});
  insert_named(filter, 1000);
  EXPECT_EQ(filter.layer_count(), 4u);
  std::string written;
  filter.serialize(written);
  EXPECT_EQ(written, golden_file("thousand_keys_v2.scalable"));
}

// The fourth layer consists of pieces; some have keys in tables, and others have none.
TEST(NativeFormatPage, AScalableFilterWithLateBitsIsTheGoldenFile) {
  ScalableFilter filter = *ScalableFilter::for_capacity(300, 0.01, {.hash = kXxh3});
  insert_named(filter, 7000);
  EXPECT_EQ(filter.layer_count(), 4u);
  EXPECT_LT(filter.layer(3).bytes, filter.layer(3).shape.words * sizeof(std::uint64_t) / 4);
  std::string written;
  filter.serialize(written);
  EXPECT_EQ(written, golden_file("seven_thousand_keys_v2.scalable"));
}

// Files whose front has version 1 are read, accept keys, and are written with version 2.
TEST(NativeFormatPage, ScalableFiltersOfTheFirstFrontAnswerAndGrow) {
  const std::string small = golden_file("apple_banana_v1.scalable");
  const auto fruits = ScalableFilter::view(std::as_bytes(std::span(small)), {.access = Access::kCopy});
  ASSERT_TRUE(fruits) << fruits.error().to_string();
  EXPECT_EQ(fruits->layer_count(), 2u);
  EXPECT_TRUE(fruits->may_contain("apple"));
  EXPECT_TRUE(fruits->may_contain("banana"));
  EXPECT_FALSE(fruits->may_contain("grape"));

  const std::string large = golden_file("thousand_keys_v1.scalable");
  auto keys = ScalableFilter::view(std::as_bytes(std::span(large)), {.access = Access::kCopy});
  ASSERT_TRUE(keys) << keys.error().to_string();
  EXPECT_EQ(keys->layer_count(), 4u);
  EXPECT_EQ(count_named(*keys, 0, 1000), 1000);
  EXPECT_LT(count_named(*keys, 1000, 11'000), 150);
  insert_named(*keys, 3000);
  std::string written;
  keys->serialize(written);
  const auto again = ScalableFilter::view(std::as_bytes(std::span(written)), {.access = Access::kCopy});
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_GT(again->layer_count(), 4u);
  EXPECT_EQ(count_named(*again, 0, 3000), 3000);
}

TEST(NativeFormatPage, ItsWindowIsTheOneItDescribesAndTheGoldenFile) {
  WindowedFilter filter =
      *WindowedFilter::for_capacity(0, 0.1, {.hash = kXxh3, .window = Window::keys(2, 1)});
  for (const char* const key : {"apple", "banana", "cherry"}) {
    filter.insert(key);
  }
  EXPECT_TRUE(filter.set_metadata("fruit"));
  std::string written;
  filter.serialize(written);
  EXPECT_EQ(example_bytes("```hex windowed"), written);
  EXPECT_EQ(written, golden_file("three_fruits_v1.windowed"));
  auto again = WindowedFilter::view(std::as_bytes(std::span(written)), {.access = Access::kCopy});
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_TRUE(again->may_contain("apple"));
  again->insert("damson");
  EXPECT_TRUE(again->may_contain("apple"));
  again->insert("elder");
  EXPECT_FALSE(again->may_contain("apple"));
  EXPECT_TRUE(again->may_contain("cherry"));
}

// An hour in four generations, 1,500 keys three seconds apart: the bytes as they were when the type entered
// version 1, and what is in at the time of the last and half an hour later.
TEST(NativeFormatPage, AnHourIsTheGoldenFile) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  ClockReading now{.boot_id = {}, .since_boot_ns = 60 * kSecond, .wall_ns = 1'800'000'000'000'000'000};
  for (std::size_t i = 0; i < now.boot_id.size(); ++i) {
    now.boot_id[i] = static_cast<std::byte>(i + 1);
  }
  const WindowClock clock = [&now] { return now; };
  const auto pass = [&now](std::uint64_t seconds) {
    now.since_boot_ns += seconds * kSecond;
    now.wall_ns += static_cast<std::int64_t>(seconds * kSecond);
  };
  WindowedFilter filter = *WindowedFilter::for_capacity(1000, 0.01,
                                                        {.hash = kXxh3,
                                                         .setting = BlockedSetting::kDense,
                                                         .window = Window::time(std::chrono::hours(1), 4),
                                                         .clock = &clock});
  for (std::uint64_t key = 0; key < 1500; ++key) {
    filter.insert(key);
    pass(3);
  }
  std::string written;
  filter.serialize(written);
  EXPECT_EQ(written, golden_file("an_hour_v1.windowed"));
  const auto keys_in = [&] {
    const auto again =
        WindowedFilter::view(std::as_bytes(std::span(written)), {.access = Access::kCopy, .clock = &clock});
    EXPECT_TRUE(again) << again.error().to_string();
    std::uint64_t in = 0;
    for (std::uint64_t key = 0; key < 1500; ++key) {
      in += again->may_contain(key) ? 1U : 0U;
    }
    return in;
  };
  EXPECT_EQ(keys_in(), 1203u);  // 300 to a generation: four of them, and 3 keys by chance
  pass(1800);
  EXPECT_EQ(keys_in(), 607u);  // two
}

TEST(NativeFormatPage, ItsExactSetIsTheOneItDescribesAndTheGoldenFile) {
  ExactSet set = *ExactSet::for_plan({.type = FilterType::kCounting,
                                      .capacity = 1000,
                                      .fpp = 0.01,
                                      .exact_below = 100,
                                      .options = {.hash = kXxh3}});
  for (const char* const key : {"apple", "banana", "apple"}) {
    EXPECT_TRUE(set.insert(key));
  }
  EXPECT_TRUE(set.set_metadata("fruit"));
  std::string written;
  set.serialize(written);
  EXPECT_EQ(example_bytes("```hex exact"), written);
  EXPECT_EQ(written, golden_file("apple_apple_banana_v1.exact"));
  const auto again = ExactSet::view(std::as_bytes(std::span(written)), {.access = Access::kCopy});
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(again->count(hash_key("apple", kXxh3)), 2u);
  EXPECT_EQ(again->count(hash_key("banana", kXxh3)), 1u);
  EXPECT_FALSE(again->may_contain("grape"));
}

// A plan of lines and bits per key, without counts: the bytes of 300 keys as they were when the type entered
// version 1.
TEST(NativeFormatPage, AnExactSetOfManyKeysIsTheGoldenFile) {
  AnyFilter filter = *make_filter({.type = FilterType::kBlocked,
                                   .capacity = 10'000,
                                   .bits_per_key = 12,
                                   .exact_below = 1000,
                                   .options = {.hash = kXxh3, .setting = BlockedSetting::kDense}});
  for (int i = 0; i < 300; ++i) {
    EXPECT_TRUE(filter.insert(hash_key("key " + std::to_string(i), kXxh3)));
  }
  std::string written;
  filter.native().serialize(written);
  EXPECT_EQ(written, golden_file("three_hundred_keys_v1.exact"));
}

}  // namespace
}  // namespace bloomery
