// HashSorter against std::sort, on hashes that suit it and on those that do not.
#include "filter/spool/sort_hashes.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "filter/spool/range_slices.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kSortSeed = 20261;

void expect_sorts(HashSorter& sorter, LowHashes hashes, const std::string& what) {
  LowHashes expected = hashes;
  std::sort(expected.begin(), expected.end());
  sorter.sort(hashes);
  EXPECT_TRUE(hashes == expected) << what << ", " << hashes.size() << " hashes, seed " << kSortSeed;
}

template <typename Make>
LowHashes generated(std::size_t count, const Make& make) {
  LowHashes hashes(count);
  std::generate(hashes.begin(), hashes.end(), make);
  return hashes;
}

// One sorter for all, so that what a larger sort leaves behind in its scratch memory meets a smaller one.
TEST(HashSorter, SortsWhateverIsGiven) {
  std::mt19937_64 random(kSortSeed);
  HashSorter sorter;
  for (const std::size_t count : {100000u, 0u, 1u, 2u, 63u, 64u, 65u, 127u, 1000u, 4097u}) {
    expect_sorts(sorter, generated(count, [&] { return random(); }), "uniform");
    expect_sorts(sorter, generated(count, [&] { return random() >> 40; }), "uniform in a narrow range");
    expect_sorts(sorter, generated(count, [&] { return (random() >> 32) << 32; }), "the top 32 bits");
    expect_sorts(sorter, generated(count, [] { return std::uint64_t{7}; }), "all equal");
    expect_sorts(sorter, generated(count, [&] { return random() % 2 == 0 ? 0 : kGreatest; }), "two values");
    expect_sorts(sorter, generated(count, [&] { return kGreatest - random() % 3; }), "three at the top");
    expect_sorts(sorter, generated(count, [&] { return std::uint64_t{1} << random() % 64; }),
                 "powers of two");
    expect_sorts(sorter, generated(count, [&] { return random() >> random() % 64; }), "dense below");
    std::uint64_t next = 0;
    expect_sorts(sorter, generated(count, [&] { return next += 1 + random() % 1000; }), "ascending");
    next = kGreatest;
    expect_sorts(sorter, generated(count, [&] { return next -= 1 + random() % 1000; }), "descending");
  }
}

// All hashes but one in one slice: what the counting cannot part is sorted by comparing.
TEST(HashSorter, SortsAClusterWithOneHashFarAway) {
  std::mt19937_64 random(kSortSeed);
  HashSorter sorter;
  LowHashes hashes = generated(20000, [&] { return random() >> 44; });
  hashes[777] = kGreatest;
  expect_sorts(sorter, hashes, "a cluster at the bottom");
  for (std::uint64_t& hash : hashes) {
    hash = ~hash;
  }
  expect_sorts(sorter, hashes, "a cluster at the top");
}

// The two promises of RangeSlices: order is kept, and every index is one of the slices; also at the ends.
TEST(RangeSlices, KeepsTheOrderWithinTheSlices) {
  std::mt19937_64 random(kSortSeed);
  for (int round = 0; round < 2000; ++round) {
    std::uint64_t lowest = random() >> random() % 64;
    std::uint64_t highest = round % 2 == 0 ? random() >> random() % 64 : lowest + (random() >> random() % 64);
    if (lowest > highest) {
      std::swap(lowest, highest);
    }
    const std::uint64_t count = 1 + (random() >> (32 + random() % 32));
    SCOPED_TRACE(std::to_string(lowest) + " to " + std::to_string(highest) + " in " + std::to_string(count) +
                 ", seed " + std::to_string(kSortSeed));
    const RangeSlices slices(lowest, highest, count);
    LowHashes numbers = {lowest, highest, lowest + (highest - lowest) / 2};
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t span = highest - lowest;
      numbers.push_back(lowest + (span == kGreatest ? random() : random() % (span + 1)));
    }
    std::sort(numbers.begin(), numbers.end());
    std::size_t previous = 0;
    for (const std::uint64_t number : numbers) {
      ASSERT_TRUE(slices.contains(number));
      ASSERT_GE(slices.index_of(number), previous);
      ASSERT_LT(slices.index_of(number), count);
      previous = slices.index_of(number);
    }
    EXPECT_EQ(slices.index_of(lowest), 0u);
    EXPECT_FALSE(lowest > 0 && slices.contains(lowest - 1));
    EXPECT_FALSE(highest < kGreatest && slices.contains(highest + 1));
  }
}

// A narrow range is spread like a wide one: 256 slices of a range of 2^20 hold 4096 numbers each.
TEST(RangeSlices, HaveOneWidth) {
  const std::uint64_t lowest = (std::uint64_t{1} << 63) + 12345;
  const RangeSlices slices(lowest, lowest + (1u << 20) - 1, 256);
  for (std::uint64_t slice = 0; slice < 256; ++slice) {
    EXPECT_EQ(slices.index_of(lowest + slice * 4096), slice);
    EXPECT_EQ(slices.index_of(lowest + slice * 4096 + 4095), slice);
  }
}

}  // namespace
}  // namespace bloomery
