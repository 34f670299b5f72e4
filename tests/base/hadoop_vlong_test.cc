// Hadoop's vlong: vectors, every length there and back, and forms that no writer makes.
#include "base/hadoop_vlong.h"

#include <array>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"

namespace bloomery {
namespace {

using namespace std::string_literals;

std::string written_vlong(std::int64_t value) {
  std::array<std::byte, kMaxHadoopVlongBytes> out;
  const std::size_t size = write_hadoop_vlong(out.data(), value);
  return {reinterpret_cast<const char*>(out.data()), size};
}

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

TEST(HadoopVlong, Vectors) {
  EXPECT_EQ(written_vlong(0), "\x00"s);
  EXPECT_EQ(written_vlong(127), "\x7f");
  EXPECT_EQ(written_vlong(128), "\x8f\x80");
  EXPECT_EQ(written_vlong(255), "\x8f\xff");
  EXPECT_EQ(written_vlong(256), "\x8e\x01\x00"s);
  EXPECT_EQ(written_vlong(65536), "\x8d\x01\x00\x00"s);
  EXPECT_EQ(written_vlong(1000000), "\x8d\x0f\x42\x40");
  EXPECT_EQ(written_vlong(-1), "\xff");
  EXPECT_EQ(written_vlong(-112), "\x90");
  EXPECT_EQ(written_vlong(-113), "\x87\x70");
  EXPECT_EQ(written_vlong(-129), "\x87\x80");
  EXPECT_EQ(written_vlong(1700000000000), "\x8a\x01\x8b\xcf\xe5\x68\x00"s);
  EXPECT_EQ(written_vlong(kLargest), "\x88\x7f\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_EQ(written_vlong(kSmallest), "\x80\x7f\xff\xff\xff\xff\xff\xff\xff");
}

TEST(HadoopVlong, WhatWasWrittenIsRead) {
  const auto check = [](std::int64_t value) {
    const std::string bytes = written_vlong(value) + "more";
    const auto back = read_hadoop_vlong(bytes_of(bytes));
    ASSERT_TRUE(back) << value;
    EXPECT_EQ(back->value, value);
    EXPECT_EQ(back->size_bytes, bytes.size() - 4);
    for (std::size_t size = 0; size < bytes.size() - 4; ++size) {
      EXPECT_FALSE(read_hadoop_vlong(bytes_of(bytes).first(size))) << value;
    }
  };
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t power = std::int64_t{1} << bit;
    for (const std::int64_t value : {power - 1, power, power + 1, -power - 1, -power, 1 - power}) {
      check(value);
    }
  }
  check(kLargest);
  check(kSmallest);
}

TEST(HadoopVlong, LongerFormsAreRefused) {
  for (const std::string& bytes : {"\x8f\x7f"s, "\x8f\x00"s, "\x8e\x00\xff"s, "\x87\x00"s, "\x87\x6f"s,
                                   "\x88\x80\x00\x00\x00\x00\x00\x00\x00"s}) {
    EXPECT_FALSE(read_hadoop_vlong(bytes_of(bytes)));
  }
}

}  // namespace
}  // namespace bloomery
