// The choice of filters and of their rates for a family with BLOOMFILTER => AUTO, as pure functions.
#include "store/filter_choice.h"

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "store/filter_spread.h"

namespace bloomery::store {
namespace {

constexpr FilterKinds kNoKinds = {};
constexpr FilterKinds kRowsOnly = {.has_rows = true};
constexpr FilterKinds kColumnsOnly = {.has_columns = true};
constexpr FilterKinds kBothKinds = {.has_rows = true, .has_columns = true};

FilterKinds chosen_filters(const ReadDemand& demand, FilterKinds before = kRowsOnly) {
  return choose_filters(demand, {}, 0.01, before);
}

TEST(FilterChoice, WithoutReadsItStaysAsItWas) {
  for (const FilterKinds before : {kNoKinds, kRowsOnly, kColumnsOnly, kBothKinds}) {
    EXPECT_EQ(chosen_filters({}, before), before);
    EXPECT_EQ(chosen_filters({.rows = {.gets = kLeastGets - 1, .files = 100, .without_row = 100}}, before),
              before);
  }
}

TEST(FilterChoice, IsWhatTheReadsWouldHaveGainedFrom) {
  EXPECT_EQ(chosen_filters({.rows = {.gets = 100, .files = 400, .without_row = 300}}), kRowsOnly);
  EXPECT_EQ(chosen_filters({.columns = {.gets = 100, .files = 400, .without_column = 300}}), kColumnsOnly);
  EXPECT_EQ(chosen_filters({.rows = {.gets = 100, .files = 400, .without_row = 300},
                            .columns = {.gets = 100, .files = 400, .without_column = 300}}),
            kBothKinds);
  // A filter of rows serves columns of absent rows as well, and has fewer keys.
  EXPECT_EQ(chosen_filters({.columns = {.gets = 100, .files = 400, .without_row = 300}}), kRowsOnly);
  // All gets find what they ask for in the only file that they read.
  EXPECT_EQ(chosen_filters({.rows = {.gets = 100, .files = 100}, .columns = {.gets = 100, .files = 100}}),
            kNoKinds);
}

// The bounds of `advise`: 5 % of the reads, and 0.01 blocks a get.
TEST(FilterChoice, ALargerFilterMustPay) {
  EXPECT_EQ(chosen_filters({.rows = {.gets = 100, .files = 100, .without_row = 5}}), kNoKinds);
  EXPECT_EQ(chosen_filters({.rows = {.gets = 100, .files = 100, .without_row = 6}}), kRowsOnly);
  EXPECT_EQ(chosen_filters({.rows = {.gets = 1000, .files = 10, .without_row = 10}}), kNoKinds);
  EXPECT_EQ(chosen_filters({.rows = {.gets = 1000, .files = 11, .without_row = 11}}), kRowsOnly);
  EXPECT_EQ(choose_filters({.rows = {.gets = 100, .files = 400, .without_row = 300}}, {.read = 1, .skip = 1},
                           0.01, kRowsOnly),
            kNoKinds);  // a skip that costs as much as a read
}

TEST(FilterChoice, OldGetsFade) {
  ReadDemand demand{.rows = {.gets = 40'000, .files = 160'000, .without_row = 120'000}};
  demand.add({.columns = {.gets = 10'000, .files = 40'000, .without_column = 30'000}});
  EXPECT_NEAR(demand.rows.gets, 20'000, 1);
  EXPECT_EQ(demand.columns.without_column, 30'000);
  EXPECT_EQ(chosen_filters(demand), kBothKinds);
  for (int i = 0; i < 10; ++i) {
    demand.add({.columns = {.gets = 10'000, .files = 40'000, .without_column = 30'000}});
  }
  EXPECT_EQ(chosen_filters(demand), kColumnsOnly);
}

double weighted_sum(const std::vector<FilterPart>& parts, const std::vector<double>& rates) {
  double sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sum += parts[i].weight * rates[i];
  }
  return sum;
}

double all_bits(const std::vector<FilterPart>& parts, const std::vector<double>& rates) {
  double bits = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bits += filter_bits(parts[i], rates[i]);
  }
  return bits;
}

double uniform_bits(const std::vector<FilterPart>& parts, double rate) {
  return all_bits(parts, std::vector<double>(parts.size(), rate));
}

TEST(FilterSpread, FilesOfOneSizeHaveTheRateOfTheBudget) {
  const std::vector<FilterPart> parts(5, {.keys = 1000});
  for (const double rate : spread_rates(parts, uniform_bits(parts, 0.01))) {
    EXPECT_NEAR(rate, 0.01, 1e-9);
  }
}

TEST(FilterSpread, RatesAreInProportionToSizes) {
  const std::vector<FilterPart> parts = {{.keys = 1000}, {.keys = 10'000}, {.keys = 40'000}};
  const auto rates = spread_rates(parts, uniform_bits(parts, 0.01));
  EXPECT_NEAR(rates[1] / rates[0], 10, 1e-6);
  EXPECT_NEAR(rates[2] / rates[1], 4, 1e-6);
  EXPECT_NEAR(all_bits(parts, rates), uniform_bits(parts, 0.01), 1);
  EXPECT_LT(weighted_sum(parts, rates), 0.6 * 0.03);
}

// No other rates with as many bits have a smaller sum: two filters that exchange some bits gain nothing.
TEST(FilterSpread, NoExchangeOfBitsGains) {
  std::mt19937_64 random(44);
  std::uniform_real_distribution<double> exponent(0, 6);
  for (int run = 0; run < 2000; ++run) {
    std::vector<FilterPart> parts(1 + random() % 12);
    for (FilterPart& part : parts) {
      part = {.keys = std::pow(10, exponent(random)),
              .weight = std::pow(10, exponent(random) / 3),
              .probes = random() % 3 == 0 ? 2.0 : 1.0};
    }
    const double bits = uniform_bits(parts, 0.001 + 0.2 * exponent(random) / 6);
    const auto rates = spread_rates(parts, bits);
    ASSERT_LE(all_bits(parts, rates), bits * (1 + 1e-9)) << "run " << run;
    const double sum = weighted_sum(parts, rates);
    for (int i = 0; i < 50; ++i) {
      auto others = rates;
      const std::size_t a = random() % parts.size();
      const std::size_t b = random() % parts.size();
      if (a == b || rates[a] > kMostRate || rates[b] > kMostRate || rates[a] <= kLeastRate ||
          rates[b] <= kLeastRate) {
        continue;
      }
      const double moved = std::pow(10, exponent(random) - 4);  // bits, as a factor of the rate
      others[a] *= std::exp(moved / parts[a].keys);
      others[b] *= std::exp(-moved / parts[b].keys);
      ASSERT_GE(weighted_sum(parts, others), sum * (1 - 1e-9)) << "run " << run;
    }
  }
}

TEST(FilterSpread, WhatIsNotWorthBitsHasNoFilter) {
  const std::vector<FilterPart> parts = {{.keys = 1000}, {.keys = 1000, .weight = 0}, {.keys = 0}};
  EXPECT_EQ(spread_rates(parts, 9600)[1], kNoFilterRate);
  EXPECT_EQ(spread_rates(parts, 9600)[2], kNoFilterRate);
  EXPECT_EQ(spread_rates(std::vector<FilterPart>{{.keys = 1e6}}, 1000)[0], kNoFilterRate);
  // The bits of the large one are worth most in the small ones.
  const auto rates = spread_rates(std::vector<FilterPart>{{.keys = 1e6}, {.keys = 100}}, 2000);
  EXPECT_EQ(rates[0], kNoFilterRate);
  EXPECT_NEAR(filter_bits({.keys = 100}, rates[1]), 2000, 1000);
  EXPECT_GE(rates[1], kLeastRate);
}

}  // namespace
}  // namespace bloomery::store
