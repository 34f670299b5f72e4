// The dialect of bits-and-blooms against a file of its release 3.7.1.
#include <string>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"
#include "tests/codec/damage.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

constexpr const char* kGoldenFile = "bits-and-blooms/n500_m9586_k7.bloom";

KeyRange k_keys(std::uint64_t first, std::uint64_t count) {
  return {[](std::uint64_t i) { return "k" + std::to_string(i); }, first, count};
}

TEST(BitsAndBlooms, TheGoldenFileIsRecognisedAndHasItsKeys) {
  const std::string bytes = golden_file(kGoldenFile);
  const auto filter = viewed(bytes, "");  // the bytes tell
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->dialect(), "bits-and-blooms");
  EXPECT_EQ(filter->facts().bits, 9586u);
  EXPECT_EQ(filter->facts().hash_count, 7u);
  EXPECT_EQ(count_maybes(*filter, k_keys(0, 500).views()), 500u);
  EXPECT_LT(count_maybes(*filter, k_keys(1000, 10'000).views()), 20u);
  EXPECT_NEAR(filter->estimated_count().value(), 500, 25);
  EXPECT_EQ(written(*filter), bytes);
}

TEST(BitsAndBlooms, TheSameKeysMakeTheSameBytes) {
  const std::string bytes = golden_file(kGoldenFile);
  const DialectPlan plan{.capacity = 1000, .fpp = 0.01, .bits_per_key = {}};
  const auto whole = built("bits-and-blooms", plan, k_keys(0, 500).views());
  ASSERT_TRUE(whole) << whole.error().to_string();
  EXPECT_EQ(written(**whole), bytes);
  const auto first = built("bits-and-blooms", plan, k_keys(0, 200).views());
  const auto second = built("bits-and-blooms", plan, k_keys(200, 300).views());
  ASSERT_TRUE((*first)->merge(**second));
  EXPECT_EQ(written(**first), bytes);
  const auto other = built("bits-and-blooms", {.capacity = 2000, .fpp = 0.01, .bits_per_key = {}}, {});
  EXPECT_EQ((*first)->merge(**other).error().code(), ErrorCode::kInvalidArgument);
}

TEST(BitsAndBlooms, WhatNoWriterMakesIsRefused) {
  const std::string good = golden_file(kGoldenFile);
  const auto code = [](const std::string& bytes, const char* dialect = "bits-and-blooms") {
    const auto filter = view_dialect(bytes_of(bytes), dialect);
    return filter ? std::optional<ErrorCode>() : filter.error().code();
  };
  EXPECT_EQ(code(good), std::nullopt);
  for (const std::size_t at : {0U, 7U, 8U, 23U}) {  // m, k and the length
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    EXPECT_EQ(code(damaged), ErrorCode::kCorruption) << at;
    EXPECT_NE(code(damaged, ""), std::nullopt) << at;
  }
  std::string behind_the_last = good;
  behind_the_last[24 + 149 * 8] = '\x80';  // bit 9599 of 9586
  EXPECT_EQ(code(behind_the_last), ErrorCode::kCorruption);
  EXPECT_EQ(code(behind_the_last, "bits-and-blooms:forced"), std::nullopt);
  EXPECT_EQ(code(good + "\n"), ErrorCode::kCorruption);
  EXPECT_EQ(code(good + good), ErrorCode::kUnsupported);
  for_each_cut(good, [&](const std::string& cut, const std::string& what) {
    EXPECT_EQ(code(cut), ErrorCode::kCorruption) << what;
  });
}

}  // namespace
}  // namespace bloomery
