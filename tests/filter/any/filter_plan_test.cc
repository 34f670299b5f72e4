// Plans: what one says it would take is what the filter takes, for every type, by fpp and by bits per key.
#include "bloomery/filter/filter_plan.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "tests/filter/native/native_bytes.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostKeys = ~std::uint64_t{0};

// One for each type that takes keys, without a wish.
std::vector<FilterPlan> plans_of_every_type(std::uint64_t capacity) {
  const auto plan = [capacity](FilterType type, BlockedSetting setting = BlockedSetting::kFast) {
    return FilterPlan{.type = type, .capacity = capacity, .options = {.setting = setting}};
  };
  std::vector<FilterPlan> plans = {plan(FilterType::kBloom),
                                   plan(FilterType::kBlocked),
                                   plan(FilterType::kBlocked, BlockedSetting::kDense),
                                   plan(FilterType::kCounting),
                                   plan(FilterType::kQuotient),
                                   plan(FilterType::kScalable),
                                   plan(FilterType::kScalable, BlockedSetting::kDense),
                                   plan(FilterType::kWindowed)};
  plans.back().options.window = Window::keys(capacity);
  return plans;
}

bool takes_bits_per_key(FilterType type) {
  return type != FilterType::kScalable && type != FilterType::kWindowed;
}

// Of a scalable filter the payload has a front, and the plan says the first layer.
std::uint64_t made_bits(const AnyFilter& filter) {
  const auto* const scalable = std::get_if<ScalableFilter>(&filter.variant());
  return scalable == nullptr ? filter.bits() : scalable->shape().bits();
}

void expect_made_as_planned(const FilterPlan& plan) {
  SCOPED_TRACE(plan.type_name() + " for " + std::to_string(plan.capacity));
  const Result<PlannedSize> size = planned_size(plan);
  ASSERT_TRUE(size) << size.error().to_string();
  const Result<AnyFilter> filter = make_filter(plan);
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_EQ(filter->type_name(), plan.type_name());
  EXPECT_EQ(filter->native().capacity(), plan.capacity);
  EXPECT_EQ(made_bits(*filter), size->bits);
  EXPECT_EQ(filter->hash_count(), size->hash_count);
  EXPECT_EQ(filter->native().inserted(), 0u);
  EXPECT_EQ(filter->native().target_fpp(), *planned_fpp(plan));
  EXPECT_GT(filter->native().target_fpp(), 0);
  if (plan.capacity > 0) {
    EXPECT_GT(size->fpp_full, 0);
    EXPECT_LT(size->fpp_full, 1);
  }
  ASSERT_TRUE(size->fpp_double);
  EXPECT_GE(*size->fpp_double, size->fpp_full);
  std::string bytes;
  filter->native().serialize(bytes);
  EXPECT_TRUE(AnyFilter::view(FileBytes(bytes).span(), {.access = Access::kCopy}));
}

TEST(FilterPlan, AFilterIsAsLargeAsItsPlanSaysByFpp) {
  for (const std::uint64_t capacity : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{100'000}}) {
    for (FilterPlan plan : plans_of_every_type(capacity)) {
      for (const double fpp : {0.05, 0.001}) {
        plan.fpp = fpp;
        if (plan.type == FilterType::kWindowed && capacity == 1) {
          plan.options.window = Window::keys(1, 1);
        }
        expect_made_as_planned(plan);
        EXPECT_EQ(*planned_fpp(plan), fpp);
        if (plan.type != FilterType::kWindowed) {
          EXPECT_LE(planned_size(plan)->fpp_full, fpp * 1.01) << plan.type_name();  // k is a whole number
        }
      }
    }
  }
}

TEST(FilterPlan, AFilterIsAsLargeAsItsPlanSaysByBitsPerKey) {
  for (const std::uint64_t capacity : {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{100'000}}) {
    for (FilterPlan plan : plans_of_every_type(capacity)) {
      if (takes_bits_per_key(plan.type)) {
        plan.bits_per_key = capacity == 0 ? 100'000 : 24.5;
        if (capacity == 0 && plan.type != FilterType::kQuotient) {
          plan.bits_per_key = 4096;
        }
        expect_made_as_planned(plan);
      }
    }
  }
}

// But for the last unit that memory is taken in: a bit, a counter, a cache line, a block.
TEST(FilterPlan, BitsPerKeyAreNotExceeded) {
  constexpr std::uint64_t kCapacity = 100'000;
  constexpr double kUnit = 512;
  for (FilterPlan plan : plans_of_every_type(kCapacity)) {
    for (const double bits : {8.0, 12.3, 30.0, 100.0}) {
      plan.bits_per_key = bits;
      const Result<PlannedSize> size = planned_size(plan);
      if (takes_bits_per_key(plan.type) && (plan.type != FilterType::kQuotient || size)) {
        ASSERT_TRUE(size) << size.error().to_string();
        EXPECT_LE(static_cast<double>(size->bits), bits * kCapacity + kUnit) << plan.type_name();
        if (plan.type != FilterType::kQuotient && plan.type != FilterType::kCounting) {
          EXPECT_GE(static_cast<double>(size->bits), bits * kCapacity - kUnit) << plan.type_name();
        }
      }
    }
  }
  FilterPlan ribbon{.type = FilterType::kRibbon, .capacity = kCapacity, .bits_per_key = 12.0};
  const Result<PlannedSize> size = planned_size(ribbon);
  ASSERT_TRUE(size) << size.error().to_string();
  EXPECT_LE(static_cast<double>(size->bits), 12.0 * kCapacity + kUnit);
  EXPECT_GE(static_cast<double>(size->bits), 10.5 * kCapacity);
  EXPECT_FALSE(size->fpp_double);
}

// The longest fingerprints that fit: with one bit more a key they would not.
TEST(FilterPlan, AQuotientFilterTakesTheBitsThatItMay) {
  FilterPlan plan{.type = FilterType::kQuotient, .capacity = 100'000, .bits_per_key = 16};
  const double fpp = *planned_fpp(plan);
  const QuotientShape longer = *quotient_shape_for_fpp(plan.capacity, fpp / 2);
  EXPECT_GT(static_cast<double>(quotient_bytes(longer)) * 8, 16.0 * 100'000);
  plan.bits_per_key = 1;
  const Result<PlannedSize> size = planned_size(plan);
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(size.error().to_string().find("expected at least"), std::string::npos);
}

TEST(FilterPlan, EitherAnFppOrBitsPerKey) {
  for (FilterPlan plan : plans_of_every_type(1000)) {
    const auto expect_refused = [&plan] {
      EXPECT_EQ(planned_size(plan).error().code(), ErrorCode::kInvalidArgument);
      EXPECT_EQ(planned_fpp(plan).error().code(), ErrorCode::kInvalidArgument);
      EXPECT_EQ(make_filter(plan).error().code(), ErrorCode::kInvalidArgument);
    };
    expect_refused();
    plan.fpp = 0.01;
    plan.bits_per_key = 10;
    expect_refused();
    if (!takes_bits_per_key(plan.type)) {
      plan.fpp.reset();
      expect_refused();
      EXPECT_NE(planned_fpp(plan).error().to_string().find("expected an fpp"), std::string::npos);
    }
  }
}

TEST(FilterPlan, NumbersOutOfRangeAreErrors) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (FilterPlan plan : plans_of_every_type(1000)) {
    for (const double fpp : {0.0, 1.0, -0.5, 2.0, std::nan(""), kInfinity}) {
      plan.fpp = fpp;
      EXPECT_FALSE(planned_size(plan)) << plan.type_name() << " " << fpp;
      EXPECT_FALSE(make_filter(plan)) << plan.type_name() << " " << fpp;
    }
    plan.fpp.reset();
    for (const double bits : {0.0, -1.0, std::nan(""), -kInfinity}) {
      plan.bits_per_key = bits;
      EXPECT_FALSE(planned_size(plan)) << plan.type_name() << " " << bits;
      EXPECT_FALSE(make_filter(plan)) << plan.type_name() << " " << bits;
    }
  }
  for (FilterPlan plan : plans_of_every_type(kMostKeys)) {
    plan.fpp = 0.01;
    EXPECT_FALSE(planned_size(plan)) << plan.type_name();
    EXPECT_FALSE(make_filter(plan)) << plan.type_name();
  }
}

TEST(FilterPlan, WhatTakesNoKeysIsNotMade) {
  FilterPlan ribbon{.type = FilterType::kRibbon, .capacity = 1000, .fpp = 0.01};
  EXPECT_TRUE(planned_size(ribbon));
  EXPECT_EQ(make_filter(ribbon).error().code(), ErrorCode::kInvalidArgument);
  FilterPlan exact{.type = FilterType::kExact, .capacity = 1000, .fpp = 0.01};
  EXPECT_EQ(planned_size(exact).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(make_filter(exact).error().code(), ErrorCode::kInvalidArgument);
}

TEST(FilterPlan, AThresholdMakesAnExactSet) {
  for (FilterPlan plan : plans_of_every_type(1000)) {
    plan.fpp = 0.01;
    plan.exact_below = 10;
    const Result<AnyFilter> filter = make_filter(plan);
    ASSERT_EQ(filter.has_value(), plan.type != FilterType::kWindowed);
    if (filter) {
      EXPECT_EQ(filter->type_name(), "exact");
      EXPECT_EQ(filter->native().target_fpp(), 0.01);
      plan.exact_below = 0;
      EXPECT_EQ(planned_size(plan)->bits, planned_size(std::get<ExactSet>(filter->variant()).plan())->bits);
    }
  }
}

// A window of so many keys, whether they are counted or come in an hour, has the same tables, equally full.
TEST(FilterPlan, AWindowByAgeIsAsFullAsOneByCountOfAsManyKeys) {
  FilterPlan by_count{.type = FilterType::kWindowed, .capacity = 100'000, .fpp = 0.01, .options = {}};
  FilterPlan by_age = by_count;
  by_count.options.window = Window::keys(100'000);
  by_age.options.window = Window::time(std::chrono::hours(1));
  const Result<PlannedSize> counted = planned_size(by_count);
  const Result<PlannedSize> aged = planned_size(by_age);
  ASSERT_TRUE(counted && aged);
  EXPECT_EQ(aged->bits, counted->bits);
  EXPECT_NEAR(aged->fpp_full, 0.01, 0.003);
  EXPECT_DOUBLE_EQ(aged->fpp_full, counted->fpp_full);
  EXPECT_GT(aged->fpp_double, 1.5 * aged->fpp_full);
}

}  // namespace
}  // namespace bloomery
