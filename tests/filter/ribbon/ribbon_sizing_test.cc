// The plan of a ribbon filter: its widths, its hash bits, and what it is predicted to take.
#include "bloomery/filter/ribbon_sizing.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

constexpr double kTwoTo32 = 4294967296.0;

double narrow_share(const RibbonShape& shape) {
  return static_cast<double>(shape.scaled_fpp) / kTwoTo32 - 1;
}

// The fpp that the two widths give in their shares, without collisions.
double planned_fpp(const RibbonShape& shape) {
  return static_cast<double>(shape.scaled_fpp) / kTwoTo32 *
         std::ldexp(1.0, -static_cast<int>(shape.columns) - 1);
}

TEST(RibbonSizing, TheWorkedExample) {
  const RibbonShape shape = *ribbon_shape_for_fpp(1'000'000, 1e-4);
  EXPECT_EQ(shape.columns, 13u);
  EXPECT_NEAR(narrow_share(shape), 0.6384, 1e-6);
  EXPECT_NEAR(ribbon_bound(1e-4), 13.3616, 1e-9);
  EXPECT_EQ(shape.shards, 15u);
}

TEST(RibbonSizing, TenPerCentIsThreeColumnsAndAFourth) {
  const RibbonShape shape = *ribbon_shape_for_fpp(1000, 0.1);
  EXPECT_EQ(shape.columns, 3u);
  EXPECT_NEAR(narrow_share(shape), 0.6, 1e-9);  // 0.1 * 16 - 1
  EXPECT_EQ(shape.shards, 1u);
}

// Of 0.75 half of all places have no column at all, which answers maybe.
TEST(RibbonSizing, AboveOneHalfTheNarrowWidthIsNothing) {
  const RibbonShape shape = *ribbon_shape_for_fpp(0, 0.75);
  EXPECT_EQ(shape.columns, 0u);
  EXPECT_EQ(shape.scaled_fpp, std::uint64_t{3} << 31);
  EXPECT_NEAR(ribbon_bound(0.75), 0.5, 1e-12);
}

// Where collisions are less than 2^-20 of the fpp all places are narrow, otherwise nearly all.
TEST(RibbonSizing, APowerOfTwoIsOneWidth) {
  for (std::uint32_t columns = 1; columns <= 59; ++columns) {
    const double fpp = std::ldexp(1.0, -static_cast<int>(columns));
    const RibbonShape empty = *ribbon_shape_for_fpp(0, fpp);
    EXPECT_EQ(empty.columns, columns);
    EXPECT_EQ(empty.scaled_fpp, std::uint64_t{1} << 33);
    EXPECT_NEAR(ribbon_bound(fpp), columns, 1e-12);
    if (columns <= 40) {
      const RibbonShape full = *ribbon_shape_for_fpp(100, fpp);
      EXPECT_EQ(full.columns, columns);
      const double collisions = 100 * std::ldexp(1.0, -static_cast<int>(full.hash_bits)) / fpp;
      EXPECT_EQ(full.scaled_fpp == std::uint64_t{1} << 33, collisions <= std::ldexp(1.0, -20)) << columns;
      EXPECT_GE(narrow_share(full), 1 - 2.0 / 256);  // collisions are at most 2^-8 of the fpp
    }
  }
}

TEST(RibbonSizing, AVerySmallFppKeepsAllHashBits) {
  const RibbonShape shape = *ribbon_shape_for_fpp(100, 1e-15);
  EXPECT_EQ(shape.columns, 49u);
  EXPECT_EQ(shape.hash_bits, 64u);
  const double left = 1e-15 - 100 * std::ldexp(1.0, -64);
  EXPECT_NEAR(planned_fpp(shape) / left, 1, 1e-8);
}

// Widths and shares in range, and the planned rate with its collisions never above the asked one.
TEST(RibbonSizing, EveryPlanKeepsItsFpp) {
  for (const std::uint64_t keys : {0u, 1u, 1000u, 65536u, 131'071u, 131'072u, 100'000'000u}) {
    for (double fpp = 0.9999; fpp > 1e-9; fpp *= 0.93) {
      const RibbonShape shape = *ribbon_shape_for_fpp(keys, fpp);
      const double collisions =
          static_cast<double>(keys) * std::ldexp(1.0, -static_cast<int>(shape.hash_bits));
      EXPECT_LE(planned_fpp(shape) + collisions, fpp * (1 + 1e-12)) << keys << " keys at " << fpp;
      EXPECT_GE(planned_fpp(shape) + collisions, fpp * (1 - 1e-9)) << keys << " keys at " << fpp;
      EXPECT_GE(shape.scaled_fpp, std::uint64_t{1} << 32);
      EXPECT_LE(shape.scaled_fpp, std::uint64_t{1} << 33);
      EXPECT_EQ(shape.shards, std::max<std::uint64_t>(keys / 65536, 1));
    }
  }
}

// H is the least that keeps collisions to 2^-8 of the fpp, from 56 to 64.
TEST(RibbonSizing, HashBitsKeepCollisionsRare) {
  EXPECT_EQ(ribbon_hash_bits(0, 0.5), 56u);
  EXPECT_EQ(ribbon_hash_bits(1, 0.5), 56u);
  EXPECT_EQ(ribbon_hash_bits(std::uint64_t{1} << 46, 1e-3), 64u);
  for (std::uint64_t keys = 1; keys <= kMaxRibbonKeys / 4; keys *= 4) {
    for (double fpp = 0.5; fpp > 1e-12; fpp /= 3) {
      const std::uint32_t bits = ribbon_hash_bits(keys, fpp);
      EXPECT_GE(bits, 56u);
      EXPECT_LE(bits, 64u);
      const double share =
          static_cast<double>(keys) * std::ldexp(1.0, -static_cast<int>(bits)) / fpp;  // of collisions
      EXPECT_TRUE(bits == 64 || share <= 1.0 / 256) << keys << " keys at " << fpp;
      EXPECT_TRUE(bits == 56 || share > 1.0 / 512) << keys << " keys at " << fpp;
      if (const Result<RibbonShape> shape = ribbon_shape_for_fpp(keys, fpp)) {
        EXPECT_EQ(shape->hash_bits, bits);
      }
    }
  }
}

// A stream that kept too few bits of its hashes is told so; one that kept enough of them is not.
TEST(RibbonSizing, TooFewKeptHashBitsAreAnError) {
  const std::uint64_t keys = std::uint64_t{1} << 30;
  const Result<RibbonShape> refused = ribbon_shape_for_fpp(keys, std::ldexp(1.0, -28), 56);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kCapacity);
  EXPECT_NE(refused.error().detail().find("56 hash bits"), std::string::npos) << refused.error().detail();
  const Result<RibbonShape> half = ribbon_shape_for_fpp(keys, std::ldexp(1.0, -25), 56);
  ASSERT_TRUE(half) << half.error().to_string();  // collisions are exactly half of it
  EXPECT_EQ(half->hash_bits, 56u);
  EXPECT_NEAR(planned_fpp(*half) / std::ldexp(1.0, -26), 1, 1e-9);
  EXPECT_EQ(ribbon_shape_for_fpp(1000, 0.01, 64)->hash_bits, 56u);  // more than the plan needs: no matter
}

TEST(RibbonSizing, WhatCannotBeIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double fpp : {0.0, 1.0, -0.1, 1.5, nan, std::numeric_limits<double>::infinity()}) {
    const Result<RibbonShape> shape = ribbon_shape_for_fpp(1000, fpp);
    ASSERT_FALSE(shape) << fpp;
    EXPECT_EQ(shape.error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(ribbon_shape_for_fpp(kMaxRibbonKeys + 1, 0.01).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(ribbon_shape_for_fpp(kMaxRibbonKeys, 0.01));
  // 16 n / 2^64 is the least fpp.
  constexpr std::uint64_t kKeys = std::uint64_t{1} << 20;
  const double least = std::ldexp(1.0, 20 + 4 - 64);
  EXPECT_TRUE(ribbon_shape_for_fpp(kKeys, least));
  const Result<RibbonShape> below = ribbon_shape_for_fpp(kKeys, std::nextafter(least, 0));
  ASSERT_FALSE(below);
  EXPECT_EQ(below.error().code(), ErrorCode::kInvalidArgument);
}

TEST(RibbonSizing, TheBoundIsNearTheInformationBound) {
  for (double fpp = 0.99999; fpp > 1e-17; fpp *= 0.9973) {
    EXPECT_LE(ribbon_bound(fpp), -std::log2(fpp) + 0.0861) << fpp;
    EXPECT_GE(ribbon_bound(fpp), -std::log2(fpp) - 1e-12) << fpp;
  }
}

void expect_inverse(std::uint64_t keys, double bits_per_key) {
  const Result<double> fpp = ribbon_fpp_for_bits_per_key(keys, bits_per_key);
  ASSERT_TRUE(fpp) << fpp.error().to_string();
  ASSERT_GT(*fpp, 0);
  ASSERT_LT(*fpp, 1);
  const double found =
      static_cast<double>(predicted_ribbon_bytes(keys, *fpp)) * 8 / static_cast<double>(keys);
  // One per cent and two words.
  EXPECT_NEAR(found, bits_per_key, 0.01 * bits_per_key + 128.0 / static_cast<double>(keys))
      << keys << " keys, " << bits_per_key << " bits per key";
}

TEST(RibbonSizing, BitsPerKeyAndFppAreInverse) {
  for (const std::uint64_t keys : {1'000'000u, 1'000'000'000u}) {
    for (double bits_per_key = 0.5; bits_per_key <= 60; bits_per_key += 0.37) {
      expect_inverse(keys, bits_per_key);
    }
  }
}

// From here on a prediction holds to one per cent, and so must its inverse.
TEST(RibbonSizing, BitsPerKeyAndFppAreInverseAtTenThousandKeys) {
  for (double bits_per_key = 0.5; bits_per_key <= 60; bits_per_key += 0.37) {
    expect_inverse(10'000, bits_per_key);
  }
}

TEST(RibbonSizing, BitsPerKeyOutOfRangeAreRefused) {
  for (const double bits : {0.0, -1.0, 60.5, std::numeric_limits<double>::quiet_NaN()}) {
    const Result<double> fpp = ribbon_fpp_for_bits_per_key(1000, bits);
    ASSERT_FALSE(fpp) << bits;
    EXPECT_EQ(fpp.error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_FALSE(ribbon_fpp_for_bits_per_key(kMaxRibbonKeys + 1, 10));
}

}  // namespace
}  // namespace bloomery
