// Integer keys in patterns, hashed as short keys are: every filter type has the fpp that random hashes give it.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/quotient_filter.h"
#include "bloomery/filter/ribbon_filter.h"
#include "bloomery/hash/short_key_mix.h"

namespace bloomery {
namespace {

struct Pattern {
  std::string name;
  std::function<std::uint64_t(std::uint64_t)> key;
};

std::vector<Pattern> patterns() {
  std::vector<Pattern> all = {{"sequential", [](std::uint64_t i) { return i; }},
                              {"from a billion", [](std::uint64_t i) { return 1'000'000'000 + i; }},
                              {"downwards", [](std::uint64_t i) { return ~i; }},
                              {"random", [](std::uint64_t i) { return short_key_mix::scrambled(i); }},
                              {"two halves", [](std::uint64_t i) { return (i % 1500) << 32 | i / 1500; }},
                              {"pages of 1024", [](std::uint64_t i) { return (i >> 10) << 32 | (i & 1023); }},
                              {"pointers", [](std::uint64_t i) { return 0x7f3a00000000 + i * 48; }},
                              {"doubles", [](std::uint64_t i) {
                                 const auto number = static_cast<double>(i);
                                 std::uint64_t bits;
                                 std::memcpy(&bits, &number, sizeof bits);
                                 return bits;
                               }}};
  for (const std::uint64_t stride : {3u, 10u, 60u, 64u, 1000u, 4096u, 65536u, 86400u, 1'000'000u}) {
    all.push_back({"stride " + std::to_string(stride), [stride](std::uint64_t i) { return i * stride; }});
  }
  for (const int shift : {8, 16, 24, 32, 40}) {
    all.push_back({"shift " + std::to_string(shift), [shift](std::uint64_t i) { return i << shift; }});
  }
  return all;
}

constexpr std::uint64_t kShortKeys = 60'000;
constexpr std::uint64_t kAsked = 1'000'000;

// The rate at which keys of the pattern beyond the members are taken for members.
template <typename Filter>
double measured_fpp(const Filter& filter, const Pattern& pattern) {
  std::uint64_t found = 0;
  for (std::uint64_t i = kShortKeys; i < kShortKeys + kAsked; ++i) {
    found += filter.may_contain(pattern.key(i)) ? 1U : 0U;
  }
  return static_cast<double>(found) / static_cast<double>(kAsked);
}

// Within 5 standard deviations of the count, and of the 3 % by which a filter of this size differs from its model.
void expect_near(double measured, double expected, const std::string& what) {
  const double deviation = std::sqrt(expected / static_cast<double>(kAsked));
  EXPECT_NEAR(measured, expected, 5 * deviation + 0.03 * expected) << what;
}

template <typename Filter>
Filter with_members(Filter filter, const Pattern& pattern) {
  for (std::uint64_t i = 0; i < kShortKeys; ++i) {
    EXPECT_TRUE(filter.insert(pattern.key(i)));
  }
  return filter;
}

TEST(ShortKeyFpp, FiltersOfRegularKeysHaveTheFppOfRandomOnes) {
  for (const Pattern& pattern : patterns()) {
    const auto blocked = with_members(*BlockedBloomFilter::for_capacity(kShortKeys, 0.01), pattern);
    expect_near(measured_fpp(blocked, pattern), blocked.fpp_of_bits(), pattern.name + ", blocked");
    const auto dense = with_members(
        *BlockedBloomFilter::for_capacity(kShortKeys, 0.01, {.setting = BlockedSetting::kDense}), pattern);
    expect_near(measured_fpp(dense, pattern), 0.01, pattern.name + ", dense");
    const auto textbook = with_members(*BloomFilter::for_capacity(kShortKeys, 0.01), pattern);
    expect_near(measured_fpp(textbook, pattern), textbook.current_fpp(), pattern.name + ", textbook");
    const auto quotient = with_members(*QuotientFilter::for_capacity(kShortKeys, 0.01), pattern);
    expect_near(measured_fpp(quotient, pattern), quotient.current_fpp(), pattern.name + ", quotient");
  }
}

TEST(ShortKeyFpp, RibbonsOfRegularKeysHaveTheFppOfRandomOnes) {
  for (const Pattern& pattern : patterns()) {
    std::vector<std::uint64_t> keys(kShortKeys);
    for (std::uint64_t i = 0; i < kShortKeys; ++i) {
      keys[i] = pattern.key(i);
    }
    const auto ribbon = RibbonFilter::build(keys, 0.01);
    ASSERT_TRUE(ribbon) << ribbon.error().to_string();
    expect_near(measured_fpp(*ribbon, pattern), ribbon->current_fpp(), pattern.name);
  }
}

}  // namespace
}  // namespace bloomery
