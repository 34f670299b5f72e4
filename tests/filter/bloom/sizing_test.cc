// The arithmetic of the textbook filter: the field's classic examples, and 60-digit references.
#include "bloomery/filter/sizing.h"

#include <cmath>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

struct Reference {
  std::uint64_t keys;
  double fpp;
  std::uint64_t bits;
};

// From tools/sizing_reference.py (60 decimal digits).
constexpr Reference kReferences[] = {
    {1u, 0.5, 2u},
    {1u, 0.1, 5u},
    {1u, 0.03, 8u},
    {1u, 0.01, 10u},
    {1u, 0.001, 15u},
    {1u, 0.0001, 20u},
    {1u, 1e-06, 29u},
    {2u, 0.5, 3u},
    {2u, 0.1, 10u},
    {2u, 0.03, 15u},
    {2u, 0.01, 20u},
    {2u, 0.001, 29u},
    {2u, 0.0001, 39u},
    {2u, 1e-06, 58u},
    {3u, 0.5, 5u},
    {3u, 0.1, 15u},
    {3u, 0.03, 22u},
    {3u, 0.01, 29u},
    {3u, 0.001, 44u},
    {3u, 0.0001, 58u},
    {3u, 1e-06, 87u},
    {10u, 0.5, 15u},
    {10u, 0.1, 48u},
    {10u, 0.03, 73u},
    {10u, 0.01, 96u},
    {10u, 0.001, 144u},
    {10u, 0.0001, 192u},
    {10u, 1e-06, 288u},
    {1000u, 0.5, 1443u},
    {1000u, 0.1, 4793u},
    {1000u, 0.03, 7299u},
    {1000u, 0.01, 9586u},
    {1000u, 0.001, 14378u},
    {1000u, 0.0001, 19171u},
    {1000u, 1e-06, 28756u},
    {80000u, 0.5, 115416u},
    {80000u, 0.1, 383403u},
    {80000u, 0.03, 583876u},
    {80000u, 0.01, 766805u},
    {80000u, 0.001, 1150208u},
    {80000u, 0.0001, 1533610u},
    {80000u, 1e-06, 2300415u},
    {999983u, 0.5, 1442671u},
    {999983u, 0.1, 4792448u},
    {999983u, 0.03, 7298317u},
    {999983u, 0.01, 9584896u},
    {999983u, 0.001, 14377344u},
    {999983u, 0.0001, 19169791u},
    {999983u, 1e-06, 28754687u},
    {10000000u, 0.5, 14426951u},
    {10000000u, 0.1, 47925292u},
    {10000000u, 0.03, 72984409u},
    {10000000u, 0.01, 95850584u},
    {10000000u, 0.001, 143775876u},
    {10000000u, 0.0001, 191701168u},
    {10000000u, 1e-06, 287551752u},
    {100000007u, 0.5, 144269515u},
    {100000007u, 0.1, 479252953u},
    {100000007u, 0.03, 729844135u},
    {100000007u, 0.01, 958505905u},
    {100000007u, 0.001, 1437758858u},
    {100000007u, 0.0001, 1917011810u},
    {100000007u, 1e-06, 2875517715u},
    {1000000000u, 0.5, 1442695041u},
    {1000000000u, 0.1, 4792529189u},
    {1000000000u, 0.03, 7298440838u},
    {1000000000u, 0.01, 9585058378u},
    {1000000000u, 0.001, 14377587567u},
    {1000000000u, 0.0001, 19170116755u},
    {1000000000u, 1e-06, 28755175133u},
    {10000000000u, 0.5, 14426950409u},
    {10000000000u, 0.1, 47925291887u},
    {10000000000u, 0.03, 72984408376u},
    {10000000000u, 0.01, 95850583774u},
    {10000000000u, 0.001, 143775875661u},
    {10000000000u, 0.0001, 191701167548u},
    {10000000000u, 1e-06, 287551751322u},
    {123456789012u, 0.5, 178110497272u},
    {123456789012u, 0.1, 591670264882u},
    {123456789012u, 0.03, 901042070602u},
    {123456789012u, 0.01, 1183340529763u},
    {123456789012u, 0.001, 1775010794644u},
    {123456789012u, 0.0001, 2366681059525u},
    {123456789012u, 1e-06, 3550021589288u},
    {1000000000000u, 0.5, 1442695040889u},
    {1000000000000u, 0.1, 4792529188684u},
    {1000000000000u, 0.03, 7298440837583u},
    {1000000000000u, 0.01, 9585058377368u},
    {1000000000000u, 0.001, 14377587566052u},
    {1000000000000u, 0.0001, 19170116754735u},
    {1000000000000u, 1e-06, 28755175132103u},
};

TEST(Sizing, BitsAreExactUpToATrillionKeys) {
  for (const Reference& reference : kReferences) {
    const Result<BloomShape> shape = shape_for_fpp(reference.keys, reference.fpp);
    ASSERT_TRUE(shape) << shape.error().to_string();
    EXPECT_EQ(shape->bits, reference.bits) << reference.keys << " keys at " << reference.fpp;
  }
}

// The example that an often-copied article gets wrong: it has 23 GB right and its bits, 131,571,428,572,
// wrong.
TEST(Sizing, TenBillionKeysAtOneInTenThousand) {
  const BloomShape shape = *shape_for_fpp(10'000'000'000, 1e-4);
  EXPECT_EQ(shape.bits, 191'701'167'548u);
  EXPECT_EQ(shape.hash_count, 13u);
  EXPECT_NEAR(static_cast<double>(shape.bits) / 8e9, 23.96, 0.005);
  EXPECT_NEAR(static_cast<double>(shape.bits) / 8 / (1 << 30), 22.32, 0.005);
  EXPECT_NEAR(ideal_hash_count(1e-4), 13.29, 0.005);
  EXPECT_NEAR(predicted_fpp(shape, 10'000'000'000), 1.0013e-4, 0.00005e-4);
  // Rounding k up instead costs a little too.
  EXPECT_NEAR(predicted_fpp({.bits = shape.bits, .hash_count = 14}, 10'000'000'000), 1.0079e-4, 0.00005e-4);
  // The article's bits would err 18 times as often as asked.
  const BloomShape wrong{.bits = 131'571'428'572, .hash_count = 9};
  EXPECT_NEAR(predicted_fpp(wrong, 10'000'000'000), 1.8e-3, 0.05e-3);
}

TEST(Sizing, TenHashesAtTwentyBitsPerKey) {
  EXPECT_NEAR(predicted_fpp({.bits = 20'000'000, .hash_count = 10}, 1'000'000), 8.89e-5, 0.005e-5);
}

TEST(Sizing, EightyThousandKeysInSixteenHundredThousandBits) {
  EXPECT_NEAR(predicted_fpp({.bits = 1'600'000, .hash_count = 6}, 80'000), 3.03e-4, 0.005e-4);
  EXPECT_NEAR(predicted_fpp({.bits = 1'600'000, .hash_count = 14}, 80'000), 6.7e-5, 0.05e-5);
  const BloomShape best = *shape_for_bits_per_key(80'000, 20);
  EXPECT_EQ(best.bits, 1'600'000u);
  EXPECT_EQ(best.hash_count, 14u);
}

TEST(Sizing, HashCountIsRoundedAndBounded) {
  EXPECT_EQ(shape_for_fpp(1000, 0.9)->hash_count, 1u);
  EXPECT_EQ(shape_for_fpp(1000, 0.01)->hash_count, 7u);
  EXPECT_EQ(shape_for_bits_per_key(10, 4096)->hash_count, 255u);
}

// Capacity and fpp are each other's inverse: one key more than the capacity would exceed the fpp.
TEST(Sizing, CapacityInvertsPrediction) {
  for (const std::uint64_t bits : {64u, 1000u, 1'600'000u, 4'000'000'000u}) {
    for (const std::uint32_t hash_count : {1u, 2u, 7u, 14u, 255u}) {
      for (const double fpp : {0.5, 0.01, 1e-4}) {
        const BloomShape shape{.bits = bits, .hash_count = hash_count};
        const std::uint64_t capacity = capacity_at(shape, fpp);
        EXPECT_LE(predicted_fpp(shape, capacity), fpp * (1 + 1e-9)) << bits << " " << hash_count;
        EXPECT_GT(predicted_fpp(shape, capacity + 1), fpp) << bits << " " << hash_count;
      }
    }
  }
}

TEST(Sizing, EstimatedCountInvertsFill) {
  const BloomShape shape{.bits = 1'000'000, .hash_count = 7};
  for (const double keys : {0.0, 1.0, 1000.0, 100'000.0, 500'000.0}) {
    const double fill = -std::expm1(7 * keys * std::log1p(-1e-6));
    const auto set_bits = static_cast<std::uint64_t>(std::llround(fill * 1e6));
    EXPECT_NEAR(estimated_key_count(shape, set_bits), keys, 1 + keys * 1e-4);
  }
  EXPECT_GT(estimated_key_count(shape, 1'000'000), 1e6);  // full: a finite "at least"
  EXPECT_TRUE(std::isfinite(estimated_key_count({.bits = 1, .hash_count = 1}, 1)));
}

TEST(Sizing, ExtremesStayProbabilities) {
  EXPECT_EQ(predicted_fpp({.bits = 1, .hash_count = 1}, 0), 0);
  EXPECT_EQ(predicted_fpp({.bits = 1, .hash_count = 255}, 1), 1);
  EXPECT_EQ(predicted_fpp({.bits = 64, .hash_count = 3}, 1'000'000'000'000), 1);
  EXPECT_EQ(shape_for_fpp(0, 0.01)->bits, shape_for_fpp(1, 0.01)->bits);
}

TEST(Sizing, ImpossibleSizesAreRefusedWithTheNumbers) {
  for (const double fpp : {0.0, -1.0, 1.0, 2.0, std::nan("")}) {
    ASSERT_FALSE(shape_for_fpp(1000, fpp)) << fpp;
    EXPECT_EQ(shape_for_fpp(1000, fpp).error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_NE(shape_for_fpp(1000, 1.5).error().to_string().find("1.5"), std::string::npos);
  // Below 16 n / 2^64 the 64 hash bits collide as often as the filter may err.
  EXPECT_FALSE(shape_for_fpp(10'000'000'000, 1e-9));
  EXPECT_TRUE(shape_for_fpp(10'000'000'000, 1e-8));
  EXPECT_FALSE(shape_for_fpp(~std::uint64_t{0}, 0.5));
  for (const double bits_per_key : {0.0, -3.0, 1e9, std::nan("")}) {
    EXPECT_FALSE(shape_for_bits_per_key(1000, bits_per_key)) << bits_per_key;
  }
  EXPECT_FALSE(check_shape({.bits = 0, .hash_count = 1}));
  EXPECT_FALSE(check_shape({.bits = kMaxBloomBits + 1, .hash_count = 1}));
  EXPECT_FALSE(check_shape({.bits = 1, .hash_count = 0}));
  EXPECT_FALSE(check_shape({.bits = 1, .hash_count = 256}));
}

// A disk read of 100 microseconds, a skip of 0.1, nine look-ups in ten for absent keys, 1 % wrong.
// At 2^60 keys no fpp below 1 can be reached, so the message blames the capacity.
TEST(Sizing, ACapacityThatNoFppHelpsIsAtFault) {
  EXPECT_EQ(shape_for_fpp(~std::uint64_t{0}, 0.01).error().to_string(),
            "capacity: expected less than 2^60 keys, beyond which 64 hash bits collide too often, "
            "found 18446744073709551615 (invalid argument)");
  EXPECT_EQ(shape_for_fpp(std::uint64_t{1} << 60, 0.99).error().to_string().find("capacity: "), 0u);
  EXPECT_EQ(shape_for_fpp(std::uint64_t{1} << 59, 0.01).error().to_string(),
            "fpp: expected at least 0.5 for 576460752303423488 keys, where 64 hash bits begin to collide, "
            "found 0.01 (invalid argument)");
}

TEST(Sizing, CostOfWrongMaybes) {
  const MaybeCosts costs{.miss_rate = 0.9, .read = 100, .skip = 0.1};
  EXPECT_DOUBLE_EQ(wrong_maybe_cost(costs, 0.01), 0.9 * 0.01 * 99.9);
  EXPECT_NEAR(least_useful_fpp(costs), 0.1 / (0.9 * 99.9), 1e-12);
  EXPECT_DOUBLE_EQ(wrong_maybe_cost(costs, least_useful_fpp(costs)), 0.1);
  EXPECT_GE(least_useful_fpp({.miss_rate = 0, .read = 100, .skip = 0.1}),
            1);  // nothing absent: no filter pays
}

}  // namespace
}  // namespace bloomery
