// The scalable filter's plan: fpps that add up to the target, memory that is twice a filter of the right size
// at most, and an end that is an error.
#include "bloomery/filter/scalable_sizing.h"

#include <cmath>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(ScalableSizing, LayersDoubleAndTheirFppsAddUpToTheTarget) {
  for (const double fpp : {0.5, 1e-2, 1e-3}) {
    for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
      const ScalablePlan plan{.first_capacity = 1000, .fpp = fpp, .setting = setting};
      double sum = 0;
      for (std::uint32_t step = 0; step <= 12; ++step) {
        const LayerPlan layer = *plan_layer(plan, step);
        EXPECT_EQ(layer.capacity, std::uint64_t{1000} << step);
        EXPECT_EQ(layer.capacity, layer_capacity(1000, step));
        EXPECT_NEAR(layer.fpp / (fpp / 8 * std::pow(0.875, step)), 1, 1e-12);
        EXPECT_LE(predicted_fpp(layer.shape, layer.capacity), layer.fpp * (1 + 1e-6));
        EXPECT_EQ(layer.shape.setting, setting);
        EXPECT_EQ(layer.shape.words % 8, 0u);
        EXPECT_TRUE(check_blocked_shape(layer.shape));
        sum += layer.fpp;
        EXPECT_LT(sum, fpp);
      }
      EXPECT_NEAR(sum / fpp, 1 - std::pow(0.875, 13), 1e-9);
    }
  }
}

// Bits per key with the last of 1 + `doublings` layers full.
double bits_per_key(const ScalablePlan& plan, std::uint32_t doublings) {
  double bits = 0;
  double keys = 0;
  for (std::uint32_t step = 0; step <= doublings; ++step) {
    const LayerPlan layer = *plan_layer(plan, step);
    bits += static_cast<double>(layer.shape.bits());
    keys += static_cast<double>(layer.capacity);
  }
  return bits / keys;
}

TEST(ScalableSizing, TenDoublingsTakeAtMostTwiceTheMemoryOfTheRightSize) {
  const ScalablePlan plan{.first_capacity = 1000, .fpp = 0.01};
  const std::uint64_t keys = 1000 * 2047;
  const double right = static_cast<double>(blocked_shape_for_fpp(keys, 0.01, BlockedSetting::kFast)->bits()) /
                       static_cast<double>(keys);
  EXPECT_LE(bits_per_key(plan, 10), 2.0 * right);
  EXPECT_LE(bits_per_key(plan, 10), 2.0 * 9.585);  // the textbook filter, which no blocked filter reaches
  // As the header says.
  EXPECT_NEAR(bits_per_key(plan, 3), 16.0, 0.05);
  EXPECT_NEAR(bits_per_key(plan, 6), 17.1, 0.05);
  EXPECT_NEAR(bits_per_key(plan, 10), 18.7, 0.06);
  EXPECT_NEAR(bits_per_key(plan, 16), 21.4, 0.05);
  for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
    for (const double fpp : {1e-2, 1e-3, 1e-4}) {
      const double of_right_size =
          static_cast<double>(blocked_shape_for_fpp(keys, fpp, setting)->bits()) / static_cast<double>(keys);
      EXPECT_LE(bits_per_key({.first_capacity = 1000, .fpp = fpp, .setting = setting}, 10),
                2.0 * of_right_size);
    }
  }
}

TEST(ScalableSizing, ZeroIsOneAndNothingWrapsAround) {
  EXPECT_EQ(layer_capacity(0, 0), 1u);
  EXPECT_EQ(layer_capacity(0, 63), std::uint64_t{1} << 63);
  EXPECT_EQ(layer_capacity(0, 64), ~std::uint64_t{0});
  EXPECT_EQ(layer_capacity(3, 62), std::uint64_t{3} << 62);
  EXPECT_EQ(layer_capacity(3, 63), ~std::uint64_t{0});
  EXPECT_EQ(layer_capacity(5, 1u << 31), ~std::uint64_t{0});
  EXPECT_EQ(plan_layer({.first_capacity = 0, .fpp = 0.01}, 0)->capacity, 1u);
}

TEST(ScalableSizing, WhatCannotBeMadeIsAnError) {
  for (const double fpp : {0.0, 1.0, -1.0, std::nan(""), 1e-11}) {
    EXPECT_FALSE(plan_layer({.first_capacity = 1000, .fpp = fpp}, 0)) << fpp;
  }
  for (const std::uint64_t first : {1u, 1'000'000u}) {
    std::uint32_t last = 0;
    while (plan_layer({.first_capacity = first, .fpp = 0.01}, last + 1)) {
      ++last;
    }
    EXPECT_GE(layer_capacity(first, last), 1'000'000'000'000u);  // as the header says
    EXPECT_LT(last, 64u);
  }
  EXPECT_FALSE(plan_layer({.first_capacity = 1'000'000, .fpp = 0.01}, ~std::uint32_t{0}));
}

}  // namespace
}  // namespace bloomery
