// The exact model of the blocked Bloom filter: published tables, its own inverse, and its limits.
#include "bloomery/filter/blocked_sizing.h"

#include <cmath>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

constexpr BlockedSetting kFast = BlockedSetting::kFast;
constexpr BlockedSetting kDense = BlockedSetting::kDense;

// One bit in each of eight 64-bit lanes: an occupancy table computed independently, as Poisson sums over
// whole cache lines.
TEST(BlockedSizing, FastAgreesWithTheOccupancyTable) {
  struct Row {
    double bits_per_key;
    double fpp;
    std::uint32_t hash_count;
  };
  for (const Row& row :
       {Row{8, 2.931e-2, 8}, Row{10, 1.049e-2, 8}, Row{12, 4.222e-3, 8}, Row{16, 9.089e-4, 8},
        Row{20, 2.596e-4, 8}, Row{24, 9.086e-5, 8}, Row{22, 1.373e-4, 14}, Row{24, 6.678e-5, 16}}) {
    EXPECT_NEAR(blocked_fpp(row.bits_per_key, row.hash_count, kFast) / row.fpp, 1, 0.0006)
        << row.bits_per_key;
  }
}

// Overlapping windows: the Monte Carlo that the model replaces, 2e7 probes, 4 % at the bottom.
TEST(BlockedSizing, DenseAgreesWithSimulation) {
  EXPECT_NEAR(blocked_fpp(8, 8, kDense) / 2.79e-2, 1, 0.01);
  EXPECT_NEAR(blocked_fpp(12, 8, kDense) / 3.81e-3, 1, 0.01);
  EXPECT_NEAR(blocked_fpp(16, 10, kDense) / 6.94e-4, 1, 0.02);
  EXPECT_NEAR(blocked_fpp(20, 12, kDense) / 1.53e-4, 1, 0.03);
  EXPECT_NEAR(blocked_fpp(24, 14, kDense) / 3.66e-5, 1, 0.04);
}

TEST(BlockedSizing, GoalsAtTwentyFourBitsPerKey) {
  EXPECT_LE(blocked_fpp(24, 16, kFast), 6.9e-5);
  EXPECT_LE(blocked_fpp(24, 12, kDense), 3.85e-5);
}

TEST(BlockedSizing, ShapesMeetTheFppAndNoSmallerOneDoes) {
  for (const BlockedSetting setting : {kFast, kDense}) {
    for (const double fpp : {0.5, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-9}) {
      constexpr std::uint64_t kKeys = 1'000'000;
      BlockedShape shape = *blocked_shape_for_fpp(kKeys, fpp, setting);
      EXPECT_LE(predicted_fpp(shape, kKeys), fpp * (1 + 1e-6)) << fpp;
      EXPECT_NEAR(static_cast<double>(capacity_at(shape, fpp)), kKeys, 200) << fpp;
      shape.words -= setting == kFast ? 8 * 100 : 100;
      EXPECT_GT(predicted_fpp(shape, kKeys), fpp) << fpp;
    }
  }
}

// The sizing remembers its last answers. More plans in turns than it remembers get the same shapes again, and another
// thread, which remembers nothing, gets the same ones.
TEST(BlockedSizing, RememberedAnswersAreThoseOfTheirPlan) {
  const auto all_shapes = [] {
    std::vector<BlockedShape> shapes;
    for (int i = 0; i < 20; ++i) {
      const double fpp = std::ldexp(0.7, -i);
      shapes.push_back(*blocked_shape_for_fpp(1000, fpp, kFast));
      shapes.push_back(*blocked_shape_for_bits_per_key(1000, 8 + i, kFast));
    }
    shapes.push_back(*blocked_shape_for_fpp(1000, 0.7, kDense));
    return shapes;
  };
  const std::vector<BlockedShape> first = all_shapes();
  const std::vector<BlockedShape> again = all_shapes();
  std::vector<BlockedShape> elsewhere;
  std::thread([&] { elsewhere = all_shapes(); }).join();
  ASSERT_EQ(first.size(), again.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (const BlockedShape& shape : {again[i], elsewhere[i]}) {
      EXPECT_EQ(shape.words, first[i].words) << i;
      EXPECT_EQ(shape.hash_count, first[i].hash_count) << i;
      EXPECT_EQ(shape.setting, first[i].setting) << i;
    }
  }
  EXPECT_NE(first.front().words, first.back().words);
}

TEST(BlockedSizing, BitsPerKeyOfTheTables) {
  const auto bits_per_key = [](double fpp, BlockedSetting setting) {
    return static_cast<double>(blocked_shape_for_fpp(10'000'000, fpp, setting)->bits()) / 1e7;
  };
  EXPECT_NEAR(bits_per_key(0.01, kFast), 10.10, 0.01);
  EXPECT_NEAR(bits_per_key(1e-3, kFast), 15.72, 0.01);
  EXPECT_NEAR(bits_per_key(1e-4, kFast), 22.87, 0.01);
  EXPECT_NEAR(bits_per_key(1e-4, kDense), 21.09, 0.01);
}

// The load at which the fill is what it is.
TEST(BlockedSizing, EstimatedCountInvertsTheFill) {
  for (const std::uint32_t k : {8u, 11u, 16u}) {
    const BlockedShape fast{.words = 8 * 100'000, .hash_count = k, .setting = kFast};
    const BlockedShape dense{.words = 800'007, .hash_count = k, .setting = kDense};
    for (const double keys : {0.0, 1000.0, 1e6, 4e6}) {
      const double load = keys / 100'000 / 64;
      const double clear = ((16 - k) * std::exp(-load) + (k - 8) * std::exp(-2 * load)) / 8;
      EXPECT_NEAR(
          estimated_key_count(
              fast, static_cast<std::uint64_t>(std::llround(static_cast<double>(fast.bits()) * (1 - clear)))),
          keys, 2 + keys * 1e-3);
      const double dense_clear = std::exp(-keys / 800'007 * k / 64);
      EXPECT_NEAR(estimated_key_count(dense, static_cast<std::uint64_t>(std::llround(
                                                 static_cast<double>(dense.bits()) * (1 - dense_clear)))),
                  keys, 2 + keys * 1e-3);
    }
    EXPECT_TRUE(std::isfinite(estimated_key_count(fast, fast.bits())));
  }
}

TEST(BlockedSizing, BytesOutOfRangeAreNamedAsBytes) {
  for (const BlockedSetting setting : {kFast, kDense}) {
    EXPECT_EQ(blocked_shape_for_bytes(10, 0.01, setting).error().to_string(),
              "bytes: expected 64 to 2^53, found 10 (invalid argument)");
    EXPECT_EQ(blocked_shape_for_bytes((std::uint64_t{1} << 53) + 1, 0.01, setting).error().to_string(),
              "bytes: expected 64 to 2^53, found 9007199254740993 (invalid argument)");
    EXPECT_EQ(blocked_shape_for_bytes(64, 0.01, setting)->words, 8u);
    EXPECT_EQ(blocked_shape_for_bytes(std::uint64_t{1} << 53, 0.01, setting)->words, std::uint64_t{1} << 50);
  }
}

TEST(BlockedSizing, ImpossibleShapesAreRefused) {
  for (const double fpp : {0.0, 1.0, -1.0, std::nan(""), 1e-11}) {
    EXPECT_FALSE(blocked_shape_for_fpp(1000, fpp, kFast)) << fpp;
  }
  for (const double bits : {0.0, -1.0, 1e9, std::nan("")}) {
    EXPECT_FALSE(blocked_shape_for_bits_per_key(1000, bits, kDense)) << bits;
  }
  EXPECT_FALSE(blocked_shape_for_bytes(63, 0.01, kFast));
  EXPECT_FALSE(check_blocked_shape({.words = 12, .hash_count = 8, .setting = kFast}));
  EXPECT_TRUE(check_blocked_shape({.words = 12, .hash_count = 8, .setting = kDense}));
  EXPECT_FALSE(check_blocked_shape({.words = 8, .hash_count = 7, .setting = kFast}));
  EXPECT_FALSE(check_blocked_shape({.words = 8, .hash_count = 17, .setting = kFast}));
  EXPECT_FALSE(
      check_blocked_shape({.words = 8, .hash_count = 8, .setting = static_cast<BlockedSetting>(32)}));
  EXPECT_FALSE(check_blocked_shape({.words = std::uint64_t{1} << 60, .hash_count = 8, .setting = kFast}));
  EXPECT_EQ(blocked_shape_for_fpp(0, 0.01, kFast)->words, 8u);
}

}  // namespace
}  // namespace bloomery
