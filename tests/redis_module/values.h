// Values and items of tests that need no server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "filter/quotient/deletable_filter.h"
#include "redis_module/filter_value.h"
#include "redis_module/settings.h"
#include "redis_module/value_bytes.h"

namespace bloomery::redis_module {

inline constexpr std::uint64_t kAnySize = ~std::uint64_t{0};
inline constexpr std::uint64_t kModuleSeed = 20261125;

inline DeletableFilter filter_for(std::uint64_t capacity, double fpp = 0.01, std::uint32_t expansion = 1) {
  auto made = DeletableFilter::create({.capacity = capacity, .fpp = fpp, .expansion = expansion, .hash = {}},
                                      kAnySize);
  EXPECT_TRUE(made) << made.error().to_string();
  return std::move(made).value();
}

inline std::unique_ptr<FilterValue> growing_value(std::uint64_t capacity, std::uint32_t expansion,
                                                  double fpp = 0.01) {
  auto value = make_value({.layout = Layout::kBloomery,
                           .plan = {.capacity = capacity, .fpp = fpp, .expansion = expansion, .hash = {}}},
                          kAnySize);
  EXPECT_TRUE(value);
  return std::move(value).value();
}

inline std::vector<std::string> keys_between(int from, int to) {
  std::vector<std::string> texts;
  for (int i = from; i < to; ++i) {
    texts.push_back("key" + std::to_string(i));
  }
  return texts;
}

// Adds key`from` to key`to - 1` in batches of `batch`.
inline void add_keys(FilterValue& value, int from, int to, int batch = 1000) {
  for (int first = from; first < to; first += batch) {
    const std::vector<std::string> texts = keys_between(first, std::min(first + batch, to));
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    std::vector<Added> outcomes(texts.size());
    ASSERT_EQ(value.add(views, kAnySize, outcomes), texts.size());
  }
}

inline int maybes_of_keys(const FilterValue& value, int from, int to) {
  const std::vector<std::string> texts = keys_between(from, to);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  std::vector<std::uint64_t> answers((texts.size() + 63) / 64);
  value.may_contain(views, 0, answers);
  int count = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    count += static_cast<int>(answers[i / 64] >> (i % 64) & 1);
  }
  return count;
}

// Returns a copy by SCANDUMP and LOADCHUNK; null if a step is refused.
inline std::unique_ptr<FilterValue> copied_by_dump(const FilterValue& value) {
  auto copy = load_header(scan_step(value, 0)->bytes);
  for (std::uint64_t iterator = 1; copy;) {
    const auto step = scan_step(value, iterator);
    if (!step) {
      return nullptr;
    }
    if (step->iterator == 0) {
      return std::move(copy).value();
    }
    if (!load_chunk(**copy, step->iterator, step->bytes)) {
      return nullptr;
    }
    iterator = step->iterator;
  }
  return nullptr;
}

}  // namespace bloomery::redis_module
