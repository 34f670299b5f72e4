// Building ribbons from streams: in parts, in little memory, and what is left behind when it goes wrong.
#include "bloomery/filter/ribbon_builder.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/ribbon/ribbon_kernel.h"
#include "filter/shards/distinct_estimate.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kManyKeys = 500'000;        // seven shards
constexpr std::uint64_t kSpillingKeys = 6'000'000;  // more than 64 MiB have room for
constexpr double kBuilderFpp = 1.0 / 200;

const std::vector<Hash128>& many_hashes() {
  static const std::vector<Hash128> hashes = numbered_hashes(0, kManyKeys);
  return hashes;
}

const std::vector<Hash128>& spilling_hashes() {
  static const std::vector<Hash128> hashes = numbered_hashes(0, kSpillingKeys);
  return hashes;
}

RibbonBuilder filled_builder(const std::vector<Hash128>& hashes, const RibbonBuildOptions& options,
                             double fpp = kBuilderFpp) {
  Result<RibbonBuilder> builder = RibbonBuilder::create(fpp, options);
  EXPECT_TRUE(builder) << builder.error().to_string();
  const Status added = builder->add(hashes);
  EXPECT_TRUE(added) << added.error().to_string();
  return std::move(*builder);
}

// Part `part` of `parts`, from all keys.
RibbonFilter build_part(std::uint32_t part, std::uint32_t parts, double fpp = kBuilderFpp,
                        std::uint64_t capacity = kManyKeys, std::uint64_t seed = 0) {
  const RibbonBuildOptions options{
      .filter = {.hash = {.seed = seed}}, .capacity = capacity, .part = part, .parts = parts};
  Result<RibbonFilter> filter = filled_builder(many_hashes(), options, fpp).finish();
  EXPECT_TRUE(filter) << filter.error().to_string();
  return std::move(*filter);
}

std::vector<const RibbonFilter*> pointers(const std::vector<RibbonFilter>& filters) {
  std::vector<const RibbonFilter*> all;
  for (const RibbonFilter& filter : filters) {
    all.push_back(&filter);
  }
  return all;
}

// The message of a concatenation that must fail, in memory and as a file; no file is left.
std::string refusal(const std::vector<const RibbonFilter*>& parts) {
  const TestFolder folder;
  const Result<RibbonFilter> joined = RibbonFilter::concatenate(parts);
  const Status written = RibbonFilter::concatenate(parts, folder.path("joined.ribbon"));
  EXPECT_TRUE(folder.names().empty());
  if (joined || written) {
    return "accepted";
  }
  EXPECT_EQ(joined.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(joined.error().detail(), written.error().detail());
  return joined.error().detail();
}

// All parts of a plan, concatenated in any order, are the whole byte for byte.
TEST(RibbonBuilder, PartsInAnyOrderAreOneBuild) {
  std::mt19937_64 random(kTestSeed);
  const TestFolder folder;
  const std::string whole = serialized(build_part(1, 1));
  for (const std::uint32_t parts : {1u, 2u, 3u, 7u}) {
    std::vector<RibbonFilter> filters;
    std::uint64_t keys = 0;
    std::uint32_t shards = 0;
    for (std::uint32_t part = 1; part <= parts; ++part) {
      filters.push_back(build_part(part, parts));
      EXPECT_EQ(filters.back().first_shard(), shards);
      EXPECT_EQ(filters.back().shard_count(), 7u);
      EXPECT_EQ(filters.back().is_whole(), parts == 1);
      keys += filters.back().inserted();
      shards += filters.back().held_shards();
    }
    EXPECT_EQ(keys, kManyKeys);
    EXPECT_EQ(shards, 7u);
    std::vector<const RibbonFilter*> order = pointers(filters);
    for (int round = 0; round < 3; ++round) {
      const Result<RibbonFilter> joined = RibbonFilter::concatenate(order);
      ASSERT_TRUE(joined) << joined.error().to_string();
      EXPECT_TRUE(joined->is_whole());
      EXPECT_EQ(serialized(*joined), whole) << parts << " parts, seed " << kTestSeed;
      const Status written =
          RibbonFilter::concatenate(order, folder.path("joined.ribbon"), {.replace = true});
      ASSERT_TRUE(written) << written.error().to_string();
      EXPECT_EQ(folder.read("joined.ribbon"), whole) << parts << " parts, seed " << kTestSeed;
      std::shuffle(order.begin(), order.end(), random);
    }
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"joined.ribbon"});
}

// Neighbours that are not the whole are a larger part; parts saved and opened again are as good.
TEST(RibbonBuilder, NeighbouringPartsAreALargerPart) {
  const TestFolder folder;
  std::vector<RibbonFilter> opened;
  for (const std::uint32_t part : {1u, 2u, 3u}) {
    const std::string path = folder.path("part" + std::to_string(part));
    const auto written =
        filled_builder(many_hashes(), {.capacity = kManyKeys, .part = part, .parts = 3}).finish(path);
    ASSERT_TRUE(written) << written.error().to_string();
    EXPECT_EQ(written->bytes, folder.read("part" + std::to_string(part)).size());
    opened.push_back(*RibbonFilter::open(path));
    EXPECT_EQ(written->keys, opened.back().inserted());
    EXPECT_EQ(serialized(opened.back()), serialized(build_part(part, 3)));
  }
  const RibbonFilter pair = *RibbonFilter::concatenate(std::vector{&opened[2], &opened[1]});
  EXPECT_FALSE(pair.is_whole());
  EXPECT_EQ(pair.first_shard(), opened[1].first_shard());
  EXPECT_EQ(pair.held_shards(), opened[1].held_shards() + opened[2].held_shards());
  EXPECT_EQ(pair.inserted(), opened[1].inserted() + opened[2].inserted());
  EXPECT_EQ(count_maybes(pair, 0, kManyKeys), kManyKeys);
  const RibbonFilter whole = *RibbonFilter::concatenate(std::vector<const RibbonFilter*>{&pair, &opened[0]});
  EXPECT_EQ(serialized(whole), serialized(build_part(1, 1)));
}

TEST(RibbonBuilder, PartsThatDoNotFitTogetherAreRefusedByName) {
  std::vector<RibbonFilter> parts;
  for (const std::uint32_t part : {1u, 2u, 3u}) {
    parts.push_back(build_part(part, 3));  // shards 0 and 1, 2 and 3, 4 to 6
  }
  const auto says = [](const std::string& message, const std::string& words) {
    EXPECT_NE(message.find(words), std::string::npos) << message << "\nlacks: " << words;
  };
  says(refusal({&parts[0], &parts[0]}), "two with shard 0");
  says(refusal({&parts[0], &parts[1], &parts[2], &parts[1]}), "two with shard 2");
  const RibbonFilter whole = build_part(1, 1);
  says(refusal({&whole, &parts[2]}), "found a whole one");
  says(refusal({&parts[0], &parts[2]}), "none with shards 2 to 3");
  const RibbonFilter other_n = build_part(2, 3, kBuilderFpp, kManyKeys + 1);
  says(refusal({&parts[0], &other_n}), "capacity (500000 and 500001)");
  const RibbonFilter other_fpp = build_part(2, 3, 0.01);
  says(refusal({&parts[0], &other_fpp}), "target fpp (0.005 and 0.01)");
  const RibbonFilter other_seed = build_part(2, 3, kBuilderFpp, kManyKeys, 5);
  says(refusal({&other_seed, &parts[0]}), "seed (0 and 5)");
  // Two builds that share nothing but their range, over different keys.
  RibbonBuilder different =
      filled_builder(numbered_hashes(kAbsentKeys, kManyKeys), {.capacity = kManyKeys, .part = 2, .parts = 3});
  const RibbonFilter same_range = *different.finish();
  says(refusal({&parts[1], &same_range}), "built again");
}

// Damage in a part is found before it is copied, and no file appears.
TEST(RibbonBuilder, ADamagedPartIsNotConcatenated) {
  const TestFolder folder;
  const RibbonFilter first = build_part(1, 2);
  ASSERT_TRUE(build_part(2, 2).save(folder.path("second")));
  std::string bytes = folder.read("second");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  folder.write("second", bytes);
  const RibbonFilter second = *RibbonFilter::open(folder.path("second"));
  const std::vector<const RibbonFilter*> parts = {&first, &second};
  EXPECT_EQ(RibbonFilter::concatenate(parts).error().code(), ErrorCode::kCorruption);
  const Status written = RibbonFilter::concatenate(parts, folder.path("joined"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), ErrorCode::kCorruption);
  EXPECT_NE(written.error().detail().find("shard 6 of 7"), std::string::npos) << written.error().to_string();
  EXPECT_EQ(folder.names(), std::vector<std::string>{"second"});
}

TEST(RibbonBuilder, APartAnswersMaybeOutsideItsRange) {
  const RibbonFilter part = build_part(2, 3);  // shards 2 and 3 of 7
  EXPECT_EQ(count_maybes(part, 0, kManyKeys), kManyKeys);
  EXPECT_EQ(part.current_fpp(), kBuilderFpp);
  std::uint64_t inside = 0;
  std::uint64_t maybes_inside = 0;
  for (const Hash128& hash : numbered_hashes(kAbsentKeys, 100'000)) {
    const std::uint64_t shard = multiply_high(hash.low, 7);
    if (shard == 2 || shard == 3) {
      ++inside;
      maybes_inside += part.may_contain(hash) ? 1u : 0u;
    } else {
      ASSERT_TRUE(part.may_contain(hash)) << shard;
    }
  }
  EXPECT_GT(inside, 20'000u);
  EXPECT_LE(static_cast<double>(maybes_inside), static_cast<double>(inside) * kBuilderFpp +
                                                    confidence(static_cast<double>(inside) * kBuilderFpp));
}

TEST(RibbonBuilder, OptionsThatCannotBeAreRefused) {
  const auto error_of = [](const RibbonBuildOptions& options, double fpp = kBuilderFpp) {
    const Result<RibbonBuilder> builder = RibbonBuilder::create(fpp, options);
    EXPECT_FALSE(builder);
    if (builder) {
      return std::string("accepted");
    }
    EXPECT_EQ(builder.error().code(), ErrorCode::kInvalidArgument);
    return builder.error().to_string();
  };
  const auto says = [](const std::string& message, const std::string& words) {
    EXPECT_NE(message.find(words), std::string::npos) << message << "\nlacks: " << words;
  };
  says(error_of({.capacity = kManyKeys, .part = 4, .parts = 3}), "4 of 3");
  says(error_of({.capacity = kManyKeys, .part = 0, .parts = 3}), "part");
  says(error_of({.capacity = kManyKeys, .part = 1, .parts = 0}), "part");
  says(error_of({.part = 1, .parts = 2}), "capacity");
  says(error_of({.memory_bytes = kMinRibbonMemory - 1}), "64 MiB");
  says(error_of({.memory_bytes = 0}), "64 MiB");
  says(error_of({.filter = {.keys = {.parts = 0}}}), "key parts");
  says(error_of({.metadata = std::string((std::size_t{16} << 20) + 1, 'x')}), "metadata");
  error_of({}, 0);
  error_of({}, 1);
  error_of({.capacity = (std::uint64_t{1} << 46) + 1});
  EXPECT_TRUE(RibbonBuilder::create(kBuilderFpp, {.memory_bytes = kMinRibbonMemory}));
}

// Whichever of the parts is asked for.
TEST(RibbonBuilder, MorePartsThanShardsAreRefused) {
  for (const auto& [capacity, shards] : {std::pair<std::uint64_t, std::uint32_t>(100, 1), {kManyKeys, 7}}) {
    for (const std::uint32_t parts : {shards + 1, 3 * shards + 2}) {
      for (std::uint32_t part = 1; part <= parts; ++part) {
        const Result<RibbonBuilder> builder =
            RibbonBuilder::create(kBuilderFpp, {.capacity = capacity, .part = part, .parts = parts});
        ASSERT_FALSE(builder) << "part " << part << " of " << parts << " of " << shards << " shards";
        EXPECT_EQ(builder.error().code(), ErrorCode::kInvalidArgument);
        EXPECT_NE(builder.error().detail().find("at most " + std::to_string(shards)), std::string::npos);
      }
    }
    EXPECT_TRUE(RibbonBuilder::create(kBuilderFpp, {.capacity = capacity, .part = shards, .parts = shards}));
  }
}

// A capacity that is wrong costs space, never an answer.
TEST(RibbonBuilder, AWrongCapacityLosesNoKey) {
  for (const std::uint64_t capacity : {1u, 1000u, 70'000u, 5'000'000u}) {
    RibbonBuilder builder = filled_builder(many_hashes(), {.capacity = capacity});
    const RibbonFilter filter = *builder.finish();
    EXPECT_EQ(filter.inserted(), kManyKeys);
    EXPECT_EQ(filter.capacity(), capacity);
    EXPECT_EQ(count_maybes(filter, 0, kManyKeys), kManyKeys) << capacity;
    const double expected = kBuilderFpp * 200'000;
    EXPECT_LE(static_cast<double>(count_maybes(filter, kAbsentKeys, 200'000)),
              expected + confidence(expected))
        << capacity;
  }
}

TEST(RibbonBuilder, ProgressCountsEveryShardOnce) {
  const TestFolder folder;
  std::vector<std::uint32_t> reports;
  const RibbonBuilder::Progress progress = [&reports](std::uint32_t done, std::uint32_t total) {
    EXPECT_EQ(total, 7u);
    reports.push_back(done);
  };
  ASSERT_TRUE(
      filled_builder(many_hashes(), {.filter = {.threads = 1}, .capacity = kManyKeys}).finish(progress));
  EXPECT_EQ(reports.back(), 7u);
  EXPECT_TRUE(std::is_sorted(reports.begin(), reports.end()));
  reports.clear();
  ASSERT_TRUE(filled_builder(many_hashes(), {.capacity = kManyKeys}).finish(folder.path("a"), {}, progress));
  EXPECT_EQ(reports.back(), 7u);
}

// In 64 MiB most hashes go through the disk, more than once ordered, and the bytes are those of a build
// without it; no file is left.
TEST(RibbonBuilder, ASpilledBuildIsTheSameAndLeavesNothing) {
  const TestFolder folder;
  const TestFolder spool;
  const std::string unlimited =
      serialized(*filled_builder(spilling_hashes(), {.memory_bytes = kUnlimitedMemory}).finish());
  const RibbonBuildOptions little{.memory_bytes = kMinRibbonMemory, .spool_directory = spool.path("")};
  {
    RibbonBuilder builder = filled_builder(spilling_hashes(), little);
    EXPECT_GT(builder.spooled_bytes(), 0u);
    EXPECT_EQ(builder.added(), kSpillingKeys);
    EXPECT_TRUE(spool.names().empty());
    const auto written = builder.finish(folder.path("spilled.ribbon"));
    ASSERT_TRUE(written) << written.error().to_string();
    EXPECT_EQ(written->keys, kSpillingKeys);
    EXPECT_EQ(written->bytes, unlimited.size());
    const RibbonBuildNeeds needs = ribbon_build_needs(kSpillingKeys, kBuilderFpp, little);
    EXPECT_GE(needs.spool_bytes, builder.spooled_bytes());
    EXPECT_LE(needs.memory_bytes, kMinRibbonMemory);
    EXPECT_NEAR(static_cast<double>(needs.filter_bytes) / static_cast<double>(written->bytes), 1, 0.01);
  }
  EXPECT_TRUE(folder.read("spilled.ribbon") == unlimited);
  EXPECT_TRUE(spool.names().empty());
  EXPECT_EQ(folder.names(), std::vector<std::string>{"spilled.ribbon"});
}

// A plan for a thousand keys has one shard, which would be built in memory as a whole.
TEST(RibbonBuilder, APlanForFarFewerKeysThanCameKeepsToTheMemoryToo) {
  const TestFolder spool;
  RibbonBuilder builder =
      filled_builder(spilling_hashes(),
                     {.capacity = 1000, .memory_bytes = kMinRibbonMemory, .spool_directory = spool.path("")});
  const auto built = builder.finish();
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code(), ErrorCode::kCapacity);
  EXPECT_NE(built.error().to_string().find("expected about 1000, as it is made for"), std::string::npos)
      << built.error().to_string();
  EXPECT_TRUE(
      filled_builder(spilling_hashes(), {.capacity = 1000, .memory_bytes = kUnlimitedMemory}).finish());
}

// The estimate of what is spooled holds with a capacity too, and for a part.
TEST(RibbonBuilder, NeedsCoverWhatIsSpooled) {
  const TestFolder spool;
  for (const std::uint64_t keys : {std::uint64_t{4'000'000}, kSpillingKeys}) {
    const RibbonBuildOptions options{
        .capacity = keys, .memory_bytes = kMinRibbonMemory, .spool_directory = spool.path("")};
    RibbonBuilder builder = *RibbonBuilder::create(kBuilderFpp, options);
    ASSERT_TRUE(builder.add(std::span(spilling_hashes()).first(keys)));
    EXPECT_GT(builder.spooled_bytes(), 0u);
    EXPECT_GE(ribbon_build_needs(keys, kBuilderFpp, options).spool_bytes, builder.spooled_bytes()) << keys;
  }
  EXPECT_TRUE(spool.names().empty());
}

TEST(RibbonBuilder, WhatFitsNeedsNoSpool) {
  const TestFolder spool;
  const RibbonBuildOptions options{.memory_bytes = kMinRibbonMemory,
                                   .spool_directory = spool.path("missing")};
  EXPECT_EQ(ribbon_build_needs(kManyKeys, kBuilderFpp, options).spool_bytes, 0u);
  EXPECT_EQ(ribbon_build_needs(kSpillingKeys, kBuilderFpp, {.memory_bytes = kUnlimitedMemory}).spool_bytes,
            0u);
  EXPECT_EQ(ribbon_build_needs(0, kBuilderFpp, options).spool_bytes, 0u);
  EXPECT_GT(ribbon_build_needs(std::uint64_t{1} << 40, kBuilderFpp, options).spool_bytes,
            std::uint64_t{1} << 40);
  RibbonBuilder builder = filled_builder(many_hashes(), options);
  EXPECT_EQ(builder.spooled_bytes(), 0u);
  EXPECT_TRUE(builder.finish());
}

TEST(RibbonBuilder, AMissingSpoolDirectoryIsNamedAndNothingIsLeft) {
  const TestFolder spool;
  RibbonBuilder builder = *RibbonBuilder::create(
      kBuilderFpp, {.memory_bytes = kMinRibbonMemory, .spool_directory = spool.path("missing")});
  const Status added = builder.add(spilling_hashes());
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(added.error().to_string().find(spool.path("missing")), std::string::npos)
      << added.error().to_string();
  EXPECT_FALSE(builder.finish());
  EXPECT_TRUE(spool.names().empty());
}

TEST(RibbonBuilder, ACancelledSaveLeavesNothing) {
  const TestFolder folder;
  const std::atomic<bool> cancelled = true;
  folder.write("old", "the old file");
  for (const std::string name : {"old", "new"}) {
    const auto written = filled_builder(many_hashes(), {.spool_directory = folder.path("")})
                             .finish(folder.path(name), {.replace = true, .cancelled = &cancelled});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().errno_value(), EINTR) << written.error().to_string();
    EXPECT_EQ(folder.names(), std::vector<std::string>{"old"});
  }
  EXPECT_EQ(folder.read("old"), "the old file");
}

// Cancelled in the middle, after the first shards are written.
TEST(RibbonBuilder, ASaveThatIsCancelledHalfwayLeavesNothing) {
  const TestFolder folder;
  std::atomic<bool> cancelled = false;
  const auto written = filled_builder(many_hashes(), {.filter = {.threads = 1}, .capacity = kManyKeys})
                           .finish(folder.path("new"), {.cancelled = &cancelled},
                                   [&cancelled](std::uint32_t, std::uint32_t) { cancelled = true; });
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().errno_value(), EINTR);
  EXPECT_TRUE(folder.names().empty());
}

TEST(RibbonBuilder, AnOutputThatCannotBeIsNamedAndNothingIsLeft) {
  const TestFolder folder;
  const auto nowhere = filled_builder(many_hashes(), {}).finish(folder.path("missing/a.ribbon"));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(nowhere.error().to_string().find("missing/a.ribbon"), std::string::npos)
      << nowhere.error().to_string();
  EXPECT_TRUE(folder.names().empty());
  folder.write("old", "the old file");
  EXPECT_FALSE(filled_builder(many_hashes(), {}).finish(folder.path("old")));  // without .replace
  EXPECT_EQ(folder.read("old"), "the old file");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"old"});
}

TEST(RibbonBuilder, AFileIsWhatMemoryGives) {
  const TestFolder folder;
  for (const std::uint64_t keys : {0u, 1u, 300u, 140'000u}) {
    const std::vector<Hash128> hashes = numbered_hashes(0, keys);
    const RibbonBuildOptions options{.metadata = "of a test"};
    const std::string memory = serialized(*filled_builder(hashes, options).finish());
    ASSERT_TRUE(filled_builder(hashes, options).finish(folder.path("a"), {.replace = true}));
    EXPECT_EQ(folder.read("a"), memory) << keys << " keys";
  }
}

std::uint64_t estimate(std::span<const Hash128> hashes, std::size_t batch) {
  DistinctEstimate distinct;
  for (std::size_t first = 0; first < hashes.size(); first += batch) {
    distinct.add(hashes.subspan(first, std::min(batch, hashes.size() - first)), ~std::uint64_t{0});
  }
  return distinct.count();
}

TEST(DistinctEstimate, IsExactForFewAndNearForMany) {
  std::mt19937_64 random(kTestSeed);
  const std::vector<Hash128> hashes = numbered_hashes(0, 1'000'000);
  for (const std::size_t count : {0u, 1u, 2u, 1000u, 4094u, 4095u}) {
    std::vector<Hash128> some(hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(count));
    for (int repeats = 0; repeats < 5; ++repeats) {
      some.insert(some.end(), hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(count));
    }
    std::shuffle(some.begin(), some.end(), random);
    EXPECT_EQ(estimate(some, 100), count) << "seed " << kTestSeed;
  }
  const std::uint64_t once = estimate(hashes, 1000);
  EXPECT_NEAR(static_cast<double>(once) / 1e6, 1, 0.06);
  std::vector<Hash128> shuffled = hashes;
  shuffled.insert(shuffled.end(), hashes.begin(), hashes.begin() + 300'000);
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  for (const std::size_t batch : {1u, 77u, 2'000'000u}) {
    EXPECT_EQ(estimate(shuffled, batch), once) << "seed " << kTestSeed;
  }
}

// Masked hashes are counted as they are kept.
TEST(DistinctEstimate, CountsMaskedHashes) {
  DistinctEstimate distinct;
  std::vector<Hash128> hashes(1000);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    hashes[i].low = i;
  }
  distinct.add(hashes, ~std::uint64_t{7});
  EXPECT_EQ(distinct.count(), 125u);
}

}  // namespace
}  // namespace bloomery
