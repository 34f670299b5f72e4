// A filter that has grown from 100 items takes little more than one that was planned for its items.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "redis_module/filter_value.h"
#include "redis_module/settings.h"
#include "tests/base/long_tests.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

constexpr double kFpp = 0.01;

std::unique_ptr<FilterValue> value_for(std::uint64_t capacity, std::uint32_t expansion) {
  auto value = make_value({.layout = Layout::kBloomery,
                           .plan = {.capacity = capacity, .fpp = kFpp, .expansion = expansion, .hash = {}}},
                          kAnySize);
  EXPECT_TRUE(value);
  return std::move(value).value();
}

// Adds random hashes until the filter counts `keys`.
void add_up_to(FilterValue& value, std::uint64_t keys, std::mt19937_64& random) {
  std::vector<Hash128> hashes;
  std::vector<Added> outcomes;
  while (value.keys() < keys) {
    hashes.resize(std::min<std::uint64_t>(keys - value.keys(), 1000));
    outcomes.resize(hashes.size());
    for (Hash128& hash : hashes) {
      hash = {.low = random(), .high = random()};
    }
    ASSERT_EQ(value.growing().add(hashes, kAnySize, outcomes), hashes.size());
  }
}

// The memory of a filter that was planned for `keys`, with all its pages in memory.
std::uint64_t planned_memory(std::uint64_t keys, std::uint32_t expansion) {
  const auto value = value_for(keys, expansion);
  const std::uint64_t pages = value->payload_bytes() / kPageBytes + 1;
  std::mt19937_64 random(kModuleSeed);  // NOLINT(cert-msc51-cpp): the same in every run
  add_up_to(*value, std::min(keys, 1500 * pages), random);
  return value->memory_bytes();
}

double share_of_maybes(const GrowingFilter& filter, std::uint64_t asked, std::mt19937_64& random) {
  std::array<Hash128, 64> hashes;
  std::uint64_t answers = 0;
  std::uint64_t count = 0;
  for (std::uint64_t done = 0; done < asked; done += hashes.size()) {
    for (Hash128& hash : hashes) {
      hash = {.low = random(), .high = random()};
    }
    filter.may_contain(hashes, {&answers, 1});
    count += static_cast<std::uint64_t>(std::popcount(answers));
  }
  return static_cast<double>(count) / static_cast<double>(asked);
}

// The numbers of items at which the table is made: those that fill the last layer, one more, and many between.
std::vector<std::uint64_t> moments(std::uint64_t capacity, std::uint64_t expansion, std::uint64_t first,
                                   std::uint64_t last) {
  std::vector<std::uint64_t> keys;
  const double step = runs_long_tests() ? 1.12 : 1.4;
  for (auto at = static_cast<double>(first); at <= static_cast<double>(last); at *= step) {
    keys.push_back(static_cast<std::uint64_t>(at));
  }
  keys.push_back(last);
  for (std::uint64_t layer = capacity, full = capacity; full < last; layer *= expansion, full += layer) {
    if (full > first) {
      keys.insert(keys.end(), {full, full + 1});
    }
  }
  std::ranges::sort(keys);
  return keys;
}

void print_row(std::uint64_t keys, const FilterValue& value, double ratio, double default_ratio,
               double rate) {
  std::printf(
      "%10llu items in %2zu layers: %9llu bytes, %.3f of NONSCALING, %.3f of a default plan, fpp %.4f\n",
      static_cast<unsigned long long>(keys), value.layer_count(),
      static_cast<unsigned long long>(value.memory_bytes()), ratio, default_ratio, rate);
}

// What a filter may take, in times of one with NONSCALING that was planned for its items.
struct Bounds {
  double full;  // when its last layer is full
  double any;
};

// Lets a filter grow from 100 items, and returns at how many of the moments its last layer was full.
int grow(std::uint32_t expansion, std::uint64_t last, Bounds bounds) {
  const auto value = value_for(100, expansion);
  std::mt19937_64 random(kModuleSeed);  // NOLINT(cert-msc51-cpp): the same in every run
  std::mt19937_64 others(kModuleSeed + 1);
  int full_layers = 0;
  for (const std::uint64_t keys : moments(100, expansion, 10'000, last)) {
    add_up_to(*value, keys, random);
    const auto memory = static_cast<double>(value->memory_bytes());
    const double ratio = memory / static_cast<double>(planned_memory(keys, 0));
    const double default_ratio = memory / static_cast<double>(planned_memory(keys, expansion));
    const double rate = share_of_maybes(value->growing(), 200'000, others);
    print_row(keys, *value, ratio, default_ratio, rate);
    EXPECT_LE(ratio, bounds.any) << keys;
    EXPECT_LE(default_ratio, bounds.any) << keys;
    if (value->capacity() == keys) {
      ++full_layers;
      EXPECT_LE(ratio, bounds.full) << keys;
    }
    EXPECT_LE(value->current_fpp(), kFpp) << keys;
    EXPECT_LE(rate, kFpp * 1.05) << keys;  // 200,000 answers at 1 % scatter by 2.2 %
    EXPECT_NEAR(rate, value->current_fpp(), kFpp * 0.1) << keys;
  }
  return full_layers;
}

TEST(Growth, From100To10MillionTakesAtMost2Point4TimesAPlanAnd1Point5WhenTheLastLayerIsFull) {
  EXPECT_EQ(grow(kUsualExpansion, 10'000'000, {.full = 1.5, .any = 2.4}), 5);
}

TEST(Growth, WithAnExpansionOf2TakesMoreMemoryWhenTheLastLayerIsFull) {
  EXPECT_EQ(grow(2, 1'000'000, {.full = 1.85, .any = 2.4}), 7);
}

}  // namespace
}  // namespace bloomery::redis_module
