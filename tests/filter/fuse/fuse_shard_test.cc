// The construction of a shard: every set ends, no key is lost, and the cells and the false positives are those
// of the plan.
#include "filter/fuse/fuse_shard.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

#include "tests/filter/fuse/fuse_table.h"

namespace bloomery {
namespace {

constexpr std::size_t kTightSizes[] = {1, 2, 3, 10, 100, 1000};
constexpr BlockedSetting kFuseSettings[] = {BlockedSetting::kFast, BlockedSetting::kDense};

void expect_all_in(const FuseShape& shape, const FuseShardImage& image,
                   std::span<const std::uint64_t> hashes) {
  const FuseTestTable table(shape, image);
  for (const std::uint64_t hash : hashes) {
    ASSERT_TRUE(fuse_may_contain(table.table(), hash))
        << hashes.size() << " keys of " << shape.bits << " bits, arity " << shape.arity() << ", seed "
        << kFuseSeed;
  }
}

TEST(FuseShard, HasEveryKeyOfAllSmallSizes) {
  std::mt19937_64 random(kFuseSeed);
  std::map<std::uint32_t, std::uint64_t> sets_by_seed;
  for (const BlockedSetting setting : kFuseSettings) {
    const FuseShape shape = fuse_shape(8, setting);
    FuseShardBuilder builder(shape);
    for (std::size_t size = 0; size <= 2000; ++size) {
      for (int set = 0; set < 3; ++set) {
        const auto hashes = fuse_set(random, size);
        const FuseShardImage image = *builder.build(hashes);
        ASSERT_NO_FATAL_FAILURE(expect_all_in(shape, image, hashes));
        ++sets_by_seed[image.entry.seed];
      }
    }
  }
  std::uint64_t most = 0;
  for (const auto& [seed, sets] : sets_by_seed) {
    most = std::max<std::uint64_t>(most, seed);
  }
  RecordProperty("greatest_seed", std::to_string(most));
}

// BLOOMERY_FUSE_SETS has the number of sets: a million take about four minutes. Prints how many sets needed how
// many seeds.
TEST(FuseShard, HasEveryKeyOfRandomSets) {
  const char* const asked =
      std::getenv("BLOOMERY_FUSE_SETS");  // NOLINT(concurrency-mt-unsafe): no one sets it meanwhile
  const std::uint64_t sets = asked == nullptr ? 4000 : std::strtoull(asked, nullptr, 10);
  std::mt19937_64 random(kFuseSeed);
  for (const BlockedSetting setting : kFuseSettings) {
    const FuseShape shape = fuse_shape(8, setting);
    FuseShardBuilder builder(shape);
    std::map<std::uint32_t, std::uint64_t> sets_by_seeds;
    std::uint64_t set_aside = 0;
    for (std::uint64_t set = 0; set < sets / std::size(kFuseSettings); ++set) {
      const auto hashes = fuse_set(random, random() % 5001);
      const FuseShardImage image = *builder.build(hashes);
      ASSERT_NO_FATAL_FAILURE(expect_all_in(shape, image, hashes));
      ++sets_by_seeds[image.entry.seed + 1];
      set_aside += image.entry.set_aside;
    }
    for (const auto& [seeds, count] : sets_by_seeds) {
      std::printf("arity %u: %llu sets with %u seeds\n", shape.arity(),
                  static_cast<unsigned long long>(count), seeds);
    }
    std::printf("arity %u: %llu keys set aside\n", shape.arity(), static_cast<unsigned long long>(set_aside));
  }
}

TEST(FuseShard, HasEveryKeyOfEveryWidth) {
  std::mt19937_64 random(kFuseSeed);
  for (const BlockedSetting setting : kFuseSettings) {
    for (std::uint32_t bits = kMinFuseBits; bits <= kMaxFuseBits; ++bits) {
      const FuseShape shape = fuse_shape(bits, setting);
      const auto hashes = fuse_set(random, 3000);
      ASSERT_NO_FATAL_FAILURE(expect_all_in(shape, *FuseShardBuilder(shape).build(hashes), hashes));
    }
  }
}

TEST(FuseShard, HasEveryKeyOfTenToTheSix) {
  for (const std::uint64_t seed : {kFuseSeed, kFuseSeed + 1}) {
    std::mt19937_64 random(seed);
    for (const BlockedSetting setting : kFuseSettings) {
      const FuseShape shape = fuse_shape(8, setting);
      for (std::size_t size = 1; size <= 1'000'000; size *= 10) {
        const auto hashes = fuse_set(random, size);
        const FuseShardImage image = *FuseShardBuilder(shape).build(hashes);
        ASSERT_NO_FATAL_FAILURE(expect_all_in(shape, image, hashes));
        EXPECT_EQ(image.entry.set_aside, 0u) << size;
      }
    }
  }
}

// A shard with too few cells, a shard with one seed, and hashes that differ in few bits.
TEST(FuseShard, SetsKeysAsideThatDoNotPeel) {
  std::mt19937_64 random(kFuseSeed);
  for (const BlockedSetting setting : kFuseSettings) {
    const FuseShape shape = fuse_shape(8, setting);
    for (const std::size_t size : kTightSizes) {
      for (const std::uint32_t segments : {1U, 2U, 5U}) {
        const auto hashes = fuse_set(random, size);
        FuseShardBuilder builder(shape, {.segments = segments, .segment_log = 4}, 2);
        const FuseShardImage image = *builder.build(hashes);
        ASSERT_NO_FATAL_FAILURE(expect_all_in(shape, image, hashes));
        EXPECT_LE(image.entry.set_aside, size);
        if (size == 1000) {
          EXPECT_GT(image.entry.set_aside, 500u);  // there are at most 128 cells
          EXPECT_EQ(image.entry.seed, 1u);
        }
      }
    }
  }
}

TEST(FuseShard, HasHashesThatAreNotRandom) {
  for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{1} << 50}) {
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      hashes.push_back(i * step);
    }
    for (const BlockedSetting setting : kFuseSettings) {
      const FuseShape shape = fuse_shape(8, setting);
      ASSERT_NO_FATAL_FAILURE(expect_all_in(shape, *FuseShardBuilder(shape).build(hashes), hashes));
    }
  }
}

TEST(FuseShard, DependsOnTheSetAlone) {
  std::mt19937_64 random(kFuseSeed);
  const auto hashes = fuse_set(random, 10'000);
  FuseShardBuilder used(fuse_shape(9, BlockedSetting::kDense));
  ASSERT_TRUE(used.build(fuse_set(random, 12'345)));
  const FuseShardImage first = *used.build(hashes);
  const FuseShardImage second = *FuseShardBuilder(fuse_shape(9, BlockedSetting::kDense)).build(hashes);
  EXPECT_EQ(first.entry, second.entry);
  EXPECT_EQ(first.words, second.words);
}

// The bits of a shard, per key and bit of a fingerprint, as issue and page state them.
TEST(FuseShard, IsAsSmallAsStated) {
  struct Bound {
    BlockedSetting setting;
    std::size_t keys;
    double most;
  };
  for (const Bound& bound :
       {Bound{BlockedSetting::kFast, 1'000'000, 1.131}, Bound{BlockedSetting::kFast, 1'048'576, 1.131},
        Bound{BlockedSetting::kDense, 1'048'576, 1.08}, Bound{BlockedSetting::kDense, 10'000, 1.18},
        Bound{BlockedSetting::kDense, 1'000, 1.281}}) {
    std::mt19937_64 random(kFuseSeed);
    const int sets = bound.keys > 100'000 ? 1 : 10;
    for (int set = 0; set < sets; ++set) {
      const FuseShape shape = fuse_shape(8, bound.setting);
      const FuseShardImage image = *FuseShardBuilder(shape).build(fuse_set(random, bound.keys));
      EXPECT_LE(static_cast<double>(image.words.size()) * 8 / static_cast<double>(bound.keys), bound.most)
          << bound.keys << " keys, set " << set << ", arity " << shape.arity();
    }
  }
}

// Of 2,000,000 absent keys about 2^-b pass, within six standard deviations.
TEST(FuseShard, HasTheFppOfItsWidth) {
  std::mt19937_64 random(kFuseSeed);
  for (const BlockedSetting setting : kFuseSettings) {
    for (const std::uint32_t bits : {4U, 5U, 8U, 11U}) {
      const FuseShape shape = fuse_shape(bits, setting);
      const FuseTestTable table(shape, *FuseShardBuilder(shape).build(fuse_set(random, 20'000)));
      constexpr double kQueries = 2e6;
      double passed = 0;
      for (int i = 0; i < static_cast<int>(kQueries); ++i) {
        passed += fuse_may_contain(table.table(), random()) ? 1 : 0;
      }
      const double expected = kQueries * std::ldexp(1, -static_cast<int>(bits));
      EXPECT_NEAR(passed, expected, 6 * std::sqrt(expected)) << bits << " bits, arity " << shape.arity();
    }
  }
}

}  // namespace
}  // namespace bloomery
