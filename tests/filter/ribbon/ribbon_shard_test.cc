// Shards of a ribbon: every key in, the same bytes whatever is built beside them, few slots wasted.
#include "filter/ribbon/ribbon_shard.h"

#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "tests/filter/ribbon/ribbon_table.h"

namespace bloomery {
namespace {

using Set = std::vector<std::uint64_t>;

RibbonShardImage build_one(const RibbonShape& shape, const Set& keys,
                           RibbonShardBuilder::Refusal refusal = {}) {
  const std::span<const std::uint64_t> alone = keys;
  Result<std::vector<RibbonShardImage>> images =
      RibbonShardBuilder(shape, std::move(refusal)).build({&alone, 1});
  EXPECT_TRUE(images) << images.error().to_string();
  return images ? std::move(images->front()) : RibbonShardImage{};
}

// The words are those that the entry promises, and every key is in.
void expect_holds(const RibbonShape& shape, const RibbonShardImage& image, const Set& keys) {
  ASSERT_EQ(image.words.size(), shard_words(image.entry, shape.columns)) << keys.size() << " keys";
  EXPECT_EQ(image.entry.checksum, crc32c(std::as_bytes(std::span(image.words))));
  EXPECT_LE(image.entry.narrow_blocks[0], image.entry.blocks[0]);
  EXPECT_LE(image.entry.narrow_blocks[1], image.entry.blocks[1]);
  const RibbonTestTable table(shape, {&image, 1});
  for (const std::uint64_t key : keys) {
    ASSERT_TRUE(ribbon_may_contain(table.table(), key))
        << keys.size() << " keys, " << shape.columns << " columns, seed " << kRibbonSeed;
  }
}

std::uint64_t slots_of(const RibbonEntry& entry) {
  return (std::uint64_t{entry.blocks[0]} + entry.blocks[1]) * kRibbonBlockSlots + entry.tail_slots;
}

TEST(RibbonShard, EveryKeyIsInAtEverySize) {
  std::mt19937_64 random(kRibbonSeed);
  for (const std::uint32_t columns : {0u, 7u, 20u, 59u}) {
    const RibbonShape shape = ribbon_shape(columns);
    for (const std::size_t size : {0u, 1u, 2u, 159u, 160u, 161u, 162u, 200u, 223u, 224u, 225u, 256u, 300u,
                                   500u, 1000u, 2047u, 4096u, 10'007u, 70'000u}) {
      const Set keys = random_set(random, size);
      expect_holds(shape, build_one(shape, keys), keys);
    }
  }
}

TEST(RibbonShard, AShardWithoutKeysSaysNoAndTakesNothing) {
  const RibbonShape shape = ribbon_shape(7);
  const RibbonShardImage image = build_one(shape, {});
  EXPECT_TRUE(image.words.empty());
  const RibbonTestTable table(shape, {&image, 1});
  std::mt19937_64 random(kRibbonSeed);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(ribbon_may_contain(table.table(), random()));
  }
}

// Alone, and as each of one to six that are built side by side: the same entry and the same words.
TEST(RibbonShard, WhatIsBuiltBesideDoesNotShow) {
  std::mt19937_64 random(kRibbonSeed);
  const RibbonShape shape = ribbon_shape(11);
  std::vector<Set> sets;
  for (const std::size_t size : {3000u, 0u, 40'000u, 150u, 170u, 9000u}) {
    sets.push_back(random_set(random, size));
  }
  std::vector<RibbonShardImage> alone;
  for (const Set& set : sets) {
    alone.push_back(build_one(shape, set));
  }
  RibbonShardBuilder builder(shape);  // used again and again
  for (std::size_t count = 1; count <= sets.size(); ++count) {
    for (std::size_t first = 0; first + count <= sets.size(); ++first) {
      const std::vector<std::span<const std::uint64_t>> shards(
          sets.begin() + static_cast<std::ptrdiff_t>(first),
          sets.begin() + static_cast<std::ptrdiff_t>(first + count));
      const auto images = builder.build(shards);
      ASSERT_TRUE(images) << images.error().to_string();
      ASSERT_EQ(images->size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ((*images)[i].entry, alone[first + i].entry) << "shard " << first + i << " of " << count;
        EXPECT_EQ((*images)[i].words, alone[first + i].words) << "shard " << first + i << " of " << count;
      }
    }
  }
}

// A construction that fails is tried again under the next seed, for that shard alone.
TEST(RibbonShard, RefusedSeedsGiveTheNextSeedAndEveryKey) {
  std::mt19937_64 random(kRibbonSeed);
  const RibbonShape shape = ribbon_shape(9);
  for (const std::size_t size : {1u, 100u, 400u, 5000u}) {
    const Set keys = random_set(random, size);
    for (const std::uint32_t refused : {0u, 1u, 2u, 17u, 31u}) {
      if (size == 5000 && refused == 31) {
        continue;  // slow
      }
      const RibbonShardImage image =
          build_one(shape, keys, [refused](std::uint32_t seed) { return seed < refused; });
      EXPECT_EQ(image.entry.seed, refused) << size << " keys";
      expect_holds(shape, image, keys);
    }
  }
}

// The second of three fails: it alone has another seed, and the others are what they are without it.
TEST(RibbonShard, AFailedNeighbourDoesNotShow) {
  std::mt19937_64 random(kRibbonSeed);
  const RibbonShape shape = ribbon_shape(9);
  const std::vector<Set> sets = {random_set(random, 3000), random_set(random, 4000),
                                 random_set(random, 5000)};
  const auto calls = std::make_shared<int>(0);
  RibbonShardBuilder builder(shape, [calls](std::uint32_t) { return ++*calls == 2; });
  const std::vector<std::span<const std::uint64_t>> shards(sets.begin(), sets.end());
  const auto images = builder.build(shards);
  ASSERT_TRUE(images) << images.error().to_string();
  for (std::size_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ((*images)[i].entry.seed, i == 1 ? 1u : 0u);
    expect_holds(shape, (*images)[i], sets[i]);
    if (i != 1) {
      EXPECT_EQ((*images)[i].words, build_one(shape, sets[i]).words);
    }
  }
}

TEST(RibbonShard, NoSeedThatServesIsAnError) {
  std::mt19937_64 random(kRibbonSeed);
  std::uint32_t last_seed = 0;
  RibbonShardBuilder builder(ribbon_shape(9), [&last_seed](std::uint32_t seed) {
    last_seed = seed;
    return true;
  });
  const Set keys = random_set(random, 300);
  const std::span<const std::uint64_t> alone = keys;
  const auto images = builder.build({&alone, 1});
  ASSERT_FALSE(images);
  EXPECT_EQ(images.error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(last_seed, kMaxRibbonSeed);
}

// Hashes that are anything but evenly spread: one bucket of the first band takes all of them, or one start.
TEST(RibbonShard, ClusteredHashesStillBuild) {
  std::mt19937_64 random(kRibbonSeed);
  for (const std::uint32_t columns : {0u, 8u, 40u}) {
    const RibbonShape shape = ribbon_shape(columns);
    for (const std::size_t size : {161u, 1000u, 5000u, 20'000u}) {
      const std::uint64_t bucket = ~std::uint64_t{0} / size * 128;  // a little more than one
      for (const std::uint64_t lowest : {std::uint64_t{0}, random() >> 1, ~bucket + 1}) {
        const Set in_a_bucket = random_set(random, size, lowest, lowest + (bucket - 1));
        expect_holds(shape, build_one(shape, in_a_bucket), in_a_bucket);
      }
      const std::uint64_t prefix = random() << 24;
      const Set in_a_start = random_set(random, size, prefix, prefix + 0xffffff);
      expect_holds(shape, build_one(shape, in_a_start), in_a_start);
    }
  }
}

// All keys at the first or at the last place of the shard, one after the other.
TEST(RibbonShard, KeysAtBothEndsOfTheShardBuild) {
  const RibbonShape shape = ribbon_shape(10);
  Set keys;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    keys.push_back(i);
  }
  for (std::uint64_t i = 1000; i > 0; --i) {
    keys.push_back(~std::uint64_t{0} - (i - 1));
  }
  expect_holds(shape, build_one(shape, keys), keys);
}

// Small sets are one dense system. The bound may fail in one of 2^16 sets: none of these does.
TEST(RibbonShard, SmallSetsTakeAtMostSixteenSlotsMoreThanKeys) {
  std::mt19937_64 random(kRibbonSeed);
  const RibbonShape shape = ribbon_shape(7);
  for (int round = 0; round < 12; ++round) {
    for (std::size_t size = 0; size <= 160; ++size) {
      const RibbonShardImage image = build_one(shape, random_set(random, size));
      ASSERT_EQ(image.entry.blocks[0] + image.entry.blocks[1], 0u);
      ASSERT_GE(image.entry.tail_slots + 1, size);  // a lucky key follows from the others
      ASSERT_LE(image.entry.tail_slots, size + 16) << "seed " << kRibbonSeed;
    }
  }
}

TEST(RibbonShard, LargeSetsWasteHardlyASlot) {
  std::mt19937_64 random(kRibbonSeed);
  const RibbonShape shape = ribbon_shape(12);
  for (const std::size_t size : {5000u, 5001u, 6000u, 8191u, 10'000u, 20'000u, 50'000u, 65'536u, 131'071u}) {
    for (int round = 0; round < 3; ++round) {
      const RibbonEntry entry = build_one(shape, random_set(random, size)).entry;
      const double wasted = static_cast<double>(slots_of(entry)) - static_cast<double>(size);
      EXPECT_LT(wasted, 0.003 * static_cast<double>(size) + 60) << size << " keys, seed " << kRibbonSeed;
    }
  }
}

}  // namespace
}  // namespace bloomery
