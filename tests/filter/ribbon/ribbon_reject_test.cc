// Keys that a ribbon rejects: it says no to every one, yes to every member, and maybe to others at its fpp.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/base/uint128.h"
#include "bloomery/filter/ribbon_builder.h"
#include "filter/ribbon/ribbon_kernel.h"
#include "filter/ribbon/ribbon_shard.h"
#include "filter/ribbon/ribbon_solver.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/ribbon/ribbon_table.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kRejectedKeys = std::uint64_t{1} << 36;  // numbers from here on are rejected

struct Built {
  RibbonFilter filter;
  std::uint64_t rejected_keys;
  std::vector<std::uint64_t> contradicted;
};

Built built_from(const Hashes& members, const Hashes& rejected, double fpp, RibbonBuildOptions options = {}) {
  options.rejecting = true;
  Result<RibbonBuilder> builder = RibbonBuilder::create(fpp, options);
  EXPECT_TRUE(builder) << builder.error().to_string();
  const Status added = builder->add(members);
  EXPECT_TRUE(added) << added.error().to_string();
  const Status refused = builder->reject(rejected);
  EXPECT_TRUE(refused) << refused.error().to_string();
  EXPECT_EQ(builder->added(), members.size() + rejected.size());
  Result<RibbonFilter> filter = builder->finish();
  EXPECT_TRUE(filter) << filter.error().to_string();
  return {.filter = std::move(*filter),
          .rejected_keys = builder->rejected_keys(),
          .contradicted = builder->contradicted()};
}

std::uint64_t maybes_among(const RibbonFilter& filter, const Hashes& hashes) {
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  filter.may_contain_batch(hashes, answers);
  std::uint64_t maybes = 0;
  for (const std::uint64_t word : answers) {
    maybes += static_cast<std::uint64_t>(std::popcount(word));
  }
  return maybes;
}

Hashes hashes_of_lows(const std::vector<std::uint64_t>& lows) {
  Hashes hashes;
  for (const std::uint64_t low : lows) {
    hashes.push_back({.low = low, .high = 0});
  }
  return hashes;
}

// The rate at which others are said to be in: at most the fpp, and hardly less where `keys` are enough for
// the widths to be mixed as finely as that.
void expect_rate_of_others(const RibbonFilter& filter, double fpp, std::uint64_t keys) {
  constexpr std::uint64_t kAbsent = 100'000;
  const double expected = fpp * kAbsent;
  const double slack = 5 * std::sqrt(expected);
  const auto maybes = static_cast<double>(count_maybes(filter, kAbsentKeys, kAbsent));
  EXPECT_LE(maybes, expected + slack) << keys << " keys, fpp " << fpp;
  if (keys >= 5000) {
    EXPECT_GE(maybes, 0.95 * expected - slack) << keys << " keys, fpp " << fpp;
  }
}

TEST(RibbonReject, EveryMemberIsInAndEveryRejectedKeyIsNot) {
  for (const std::uint64_t size : {0u, 1u, 5u, 160u, 161u, 5000u, 200'000u}) {
    const Hashes members = numbered_hashes(0, size);
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{3}, size / 5, 3 * size}) {
      const Hashes rejected = numbered_hashes(kRejectedKeys, count);
      for (const double fpp : {0.5, 0.3, 1e-3}) {
        const Built built = built_from(members, rejected, fpp);
        ASSERT_EQ(maybes_among(built.filter, members), size) << count << " rejected, fpp " << fpp;
        ASSERT_EQ(maybes_among(built.filter, rejected), 0u) << size << " members, fpp " << fpp;
        EXPECT_EQ(built.filter.inserted(), size);
        EXPECT_EQ(built.filter.capacity(), size + count);
        EXPECT_EQ(built.rejected_keys, count);
        EXPECT_TRUE(built.contradicted.empty());
        expect_rate_of_others(built.filter, fpp, size + count);
      }
    }
  }
}

// A set of rejected keys alone is no empty filter: to others it says maybe.
TEST(RibbonReject, WithoutMembersOnlyTheRejectedAreExact) {
  for (const std::uint64_t count : {1u, 5u, 160u, 161u, 5000u}) {
    const Hashes rejected = numbered_hashes(kRejectedKeys, count);
    const Built built = built_from({}, rejected, 0.5);
    EXPECT_EQ(maybes_among(built.filter, rejected), 0u);
    EXPECT_EQ(built.filter.inserted(), 0u);
    EXPECT_EQ(built.filter.capacity(), count);
    EXPECT_EQ(built.filter.current_fpp(), 0.5);
    expect_rate_of_others(built.filter, 0.5, count);
    const auto maybes = static_cast<double>(count_maybes(built.filter, kAbsentKeys, 10'000));
    EXPECT_GT(maybes, 1000) << count << " rejected";
  }
  EXPECT_EQ(built_from({}, {}, 0.5).filter.current_fpp(), 0);
}

// Rejected keys take as much as others: half of them rejected, the file is no larger.
TEST(RibbonReject, ARejectedKeyCostsAsMuchAsAKey) {
  const Hashes members = numbered_hashes(0, 100'000);
  const Hashes half(members.begin(), members.begin() + 50'000);
  const Hashes others(members.begin() + 50'000, members.end());
  for (const double fpp : {0.5, 0.01}) {
    const auto all = static_cast<double>(built_from(members, {}, fpp).filter.byte_size());
    const auto mixed = static_cast<double>(built_from(half, others, fpp).filter.byte_size());
    EXPECT_NEAR(mixed / all, 1, 0.002) << fpp;
  }
}

// What was added and rejected is in, and listed: the same hash, and hashes that differ in the last bit alone.
TEST(RibbonReject, MembershipWinsOverRejection) {
  for (const std::uint64_t size : {1u, 40u, 3000u, 150'000u}) {
    Hashes members = numbered_hashes(0, size);
    Hashes rejected = numbered_hashes(kRejectedKeys, size);
    const Hashes only_rejected = rejected;
    std::vector<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < size; i += 3) {
      Hash128 both = members[i];
      expected.push_back(both.low & ~std::uint64_t{1});
      both.low ^= i / 3 % 2;  // every other one in its last bit, even to odd and odd to even
      rejected.push_back(both);
      if (i % 2 == 0) {
        rejected.push_back(both);
        members.push_back(both);
      }
    }
    std::sort(expected.begin(), expected.end());
    const Built built = built_from(members, rejected, 0.5);
    EXPECT_EQ(built.contradicted, expected) << size;
    EXPECT_EQ(built.rejected_keys, size);
    EXPECT_EQ(built.filter.inserted(), size);
    EXPECT_EQ(built.filter.capacity(), 2 * size);
    EXPECT_EQ(maybes_among(built.filter, members), members.size());
    EXPECT_EQ(maybes_among(built.filter, only_rejected), 0u);
  }
}

// Neighbouring hashes on both sides of the shards' edges, odd and even ones, of 2 to 7 shards: 63 bits decide
// where they belong, and so which meet.
TEST(RibbonReject, TheLastBitDoesNotCountAtTheEdgesOfShards) {
  bool saw_odd_edge = false;
  for (std::uint64_t shards = 2; shards <= 7; ++shards) {
    std::vector<std::uint64_t> members;
    std::vector<std::uint64_t> rejected;
    std::vector<std::uint64_t> contradicted;
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    for (std::uint64_t shard = 0; shard <= shards; ++shard) {
      const auto first = static_cast<std::uint64_t>(((Uint128{shard} << 64) + shards - 1) / shards);
      saw_odd_edge = saw_odd_edge || first % 2 == 1;
      const std::uint64_t edge = shard == 0 ? 8 : (shard == shards ? most - 8 : first);
      const std::uint64_t even = edge & ~std::uint64_t{1};
      members.insert(members.end(), {even - 4, even - 1, even, even + 5});
      rejected.insert(rejected.end(), {even - 6, even - 2, even - 4 + 1, even + 1, even + 3, even + 6});
      contradicted.insert(contradicted.end(), {even - 4, even - 2, even});
    }
    const Built built = built_from(hashes_of_lows(members), hashes_of_lows(rejected), 0.5,
                                   {.capacity = shards * kRibbonShardKeys});
    ASSERT_EQ(built.filter.shard_count(), shards);
    EXPECT_EQ(built.contradicted, contradicted) << shards << " shards";
    for (std::uint64_t low : rejected) {
      low &= ~std::uint64_t{1};
      const bool is_in = std::binary_search(contradicted.begin(), contradicted.end(), low);
      EXPECT_EQ(built.filter.may_contain({.low = low, .high = 0}), is_in) << low << " of " << shards;
      EXPECT_EQ(built.filter.may_contain({.low = low + 1, .high = 0}), is_in) << low << " of " << shards;
    }
    EXPECT_EQ(maybes_among(built.filter, hashes_of_lows(members)), members.size());
  }
  EXPECT_TRUE(saw_odd_edge);
}

// Added and rejected in turns, shuffled, with repeats, on one thread or more, in memory or to a file.
TEST(RibbonReject, OnlyTheSetsShowInTheBytes) {
  std::mt19937_64 random(kRibbonSeed);
  const TestFolder folder;
  for (const std::size_t size : {100u, 4000u, 150'000u}) {
    Hashes members = numbered_hashes(0, size);
    Hashes rejected = numbered_hashes(kRejectedKeys, size / 2);
    rejected.insert(rejected.end(), members.begin(), members.begin() + 10);
    const Built once = built_from(members, rejected, 0.3);
    members.insert(members.end(), members.begin(), members.begin() + static_cast<std::ptrdiff_t>(size / 3));
    rejected.insert(rejected.end(), rejected.begin(), rejected.begin() + 30);
    std::shuffle(members.begin(), members.end(), random);
    std::shuffle(rejected.begin(), rejected.end(), random);
    RibbonBuilder builder = *RibbonBuilder::create(0.3, {.filter = {.threads = 1}, .rejecting = true});
    for (std::size_t i = 0; i < members.size(); i += 777) {
      const auto piece = [i](const Hashes& all) {
        const std::size_t first = std::min(i, all.size());
        return std::span(all).subspan(first, std::min<std::size_t>(777, all.size() - first));
      };
      ASSERT_TRUE(builder.reject(piece(rejected)));
      ASSERT_TRUE(builder.add(piece(members)));
    }
    const auto written = builder.finish(folder.path("a"), {.replace = true});
    ASSERT_TRUE(written) << written.error().to_string();
    EXPECT_EQ(written->keys, size);
    EXPECT_EQ(builder.rejected_keys(), once.rejected_keys);
    EXPECT_EQ(builder.contradicted(), once.contradicted);
    EXPECT_EQ(once.contradicted.size(), 10u);
    EXPECT_TRUE(folder.read("a") == serialized(once.filter)) << size << " members, seed " << kRibbonSeed;
    const Result<RibbonFilter> opened = RibbonFilter::open(folder.path("a"));
    ASSERT_TRUE(opened) << opened.error().to_string();
    EXPECT_EQ(maybes_among(*opened, members), members.size());
  }
}

// In 64 MiB most hashes go through the disk, and a hash meets its rejection only when they come back.
TEST(RibbonReject, ASpilledBuildIsTheSame) {
  const TestFolder spool;
  const Hashes members = numbered_hashes(0, 3'000'000);
  Hashes rejected = numbered_hashes(kRejectedKeys, 1'000'000);
  rejected.insert(rejected.end(), members.begin(), members.begin() + 100'000);
  const RibbonBuildOptions little{
      .memory_bytes = kMinRibbonMemory, .spool_directory = spool.path(""), .rejecting = true};
  RibbonBuilder builder = *RibbonBuilder::create(0.5, little);
  ASSERT_TRUE(builder.add(members));
  ASSERT_TRUE(builder.reject(rejected));
  EXPECT_GT(builder.spooled_bytes(), 0u);
  EXPECT_GE(ribbon_build_needs(builder.added(), 0.5, little).spool_bytes, builder.spooled_bytes());
  const Result<RibbonFilter> filter = builder.finish();
  ASSERT_TRUE(filter) << filter.error().to_string();
  const Built unlimited = built_from(members, rejected, 0.5, {.memory_bytes = kUnlimitedMemory});
  EXPECT_TRUE(serialized(*filter) == serialized(unlimited.filter));
  EXPECT_EQ(builder.contradicted().size(), 100'000u);
  EXPECT_TRUE(builder.contradicted() == unlimited.contradicted);
  EXPECT_EQ(builder.rejected_keys(), 1'000'000u);
  EXPECT_EQ(maybes_among(*filter, members), members.size());
  rejected.resize(1'000'000);
  EXPECT_EQ(maybes_among(*filter, rejected), 0u);
}

TEST(RibbonReject, AWrongCapacityKeepsEveryAnswer) {
  const Hashes members = numbered_hashes(0, 50'000);
  const Hashes rejected = numbered_hashes(kRejectedKeys, 100'000);
  for (const std::uint64_t capacity : {1u, 70'000u, 3'000'000u}) {
    const Built built = built_from(members, rejected, 0.3, {.capacity = capacity});
    EXPECT_EQ(built.filter.capacity(), capacity);
    EXPECT_EQ(built.filter.inserted(), members.size());
    EXPECT_EQ(maybes_among(built.filter, members), members.size()) << capacity;
    EXPECT_EQ(maybes_among(built.filter, rejected), 0u) << capacity;
  }
}

TEST(RibbonReject, WhatCannotRejectIsRefused) {
  const auto error_of = [](double fpp, const RibbonBuildOptions& options) {
    const Result<RibbonBuilder> builder = RibbonBuilder::create(fpp, options);
    if (builder) {
      return std::string("accepted");
    }
    EXPECT_EQ(builder.error().code(), ErrorCode::kInvalidArgument);
    return builder.error().to_string();
  };
  const auto says = [](const std::string& message, const std::string& words) {
    EXPECT_NE(message.find(words), std::string::npos) << message << "\nlacks: " << words;
  };
  for (const double fpp : {0.50001, 0.75, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    says(error_of(fpp, {.rejecting = true}), "fpp: expected at most 1/2");
  }
  says(error_of(0, {.rejecting = true}), "fpp");
  says(error_of(0.5, {.capacity = 1'000'000, .part = 2, .parts = 3, .rejecting = true}), "2 of 3");
  EXPECT_EQ(error_of(0.75, {}), "accepted");
  EXPECT_EQ(error_of(0.5, {.rejecting = true}), "accepted");
  EXPECT_EQ(error_of(0.5, {.capacity = 1'000'000, .part = 1, .parts = 1, .rejecting = true}), "accepted");
}

// A construction that fails is tried again under the next seed, with the same answers. With the sizes: a tail
// alone, one band, two bands.
TEST(RibbonReject, RefusedSeedsGiveTheNextSeedAndTheSameAnswers) {
  std::mt19937_64 random(kRibbonSeed);
  for (const std::uint32_t columns : {1u, 9u, 59u}) {
    RibbonShape shape = ribbon_shape(columns);
    shape.hash_bits = kRejectingHashBits;
    for (const std::size_t size : {1u, 100u, 400u, 5000u, 20'000u}) {
      const std::vector<std::uint64_t> hashes = random_set(random, size);  // their last bit is the flag
      for (const std::uint32_t refused : {0u, 1u, 2u, 31u}) {
        if (size >= 5000 && refused == 31) {
          continue;  // slow
        }
        RibbonShardBuilder builder(
            shape, [refused](std::uint32_t seed) { return seed < refused; }, kRejectBit);
        const std::span<const std::uint64_t> alone = hashes;
        const auto images = builder.build({&alone, 1});
        ASSERT_TRUE(images) << images.error().to_string();
        EXPECT_EQ(images->front().entry.seed, refused);
        const RibbonTestTable table(shape, *images);
        for (const std::uint64_t hash : hashes) {
          ASSERT_EQ(ribbon_may_contain(table.table(), hash), (hash & kRejectBit) == 0)
              << size << " keys, " << columns << " columns, seed " << kRibbonSeed;
        }
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
