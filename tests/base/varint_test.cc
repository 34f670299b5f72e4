// Varints: one spelling per value, and everything else refused where it goes wrong.
#include "base/varint.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "test_bytes.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kOffset = 1000;  // where the bytes are said to begin in their file

Bytes written_varint(std::uint64_t value) {
  Bytes result(kMaxVarintBytes);
  result.resize(write_varint(result.data(), value));
  return result;
}

void expect_refused(const Bytes& encoded, std::uint64_t at, const std::string& why) {
  const Result<Varint> read = read_varint(encoded, kOffset);
  ASSERT_FALSE(read) << why;
  EXPECT_EQ(read.error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(read.error().offset(), kOffset + at) << why;
  EXPECT_NE(read.error().detail().find(why), std::string::npos) << read.error().to_string();
}

// Protocol Buffers documentation, "Base 128 Varints": 150 is 96 01; 300 is the older edition's example.
TEST(Varint, PublishedExamples) {
  EXPECT_EQ(written_varint(1), make_bytes({0x01}));
  EXPECT_EQ(written_varint(150), make_bytes({0x96, 0x01}));
  EXPECT_EQ(written_varint(300), make_bytes({0xac, 0x02}));
  EXPECT_EQ(written_varint(std::numeric_limits<std::uint64_t>::max()),
            make_bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));
}

TEST(Varint, RoundTripsOnBothSidesOfEveryBoundary) {
  for (unsigned groups = 1; groups <= 9; ++groups) {
    const std::uint64_t boundary = std::uint64_t{1} << (7 * groups);
    for (const std::uint64_t value : {boundary - 1, boundary, boundary + 1}) {
      const Bytes encoded = written_varint(value);
      EXPECT_EQ(encoded.size(), value < boundary ? groups : groups + 1) << value;
      const Result<Varint> read = read_varint(encoded, 0);
      ASSERT_TRUE(read) << read.error().to_string();
      EXPECT_EQ(read->value, value);
      EXPECT_EQ(read->size_bytes, encoded.size());
    }
  }
  EXPECT_EQ(read_varint(written_varint(0), 0)->value, 0u);
}

TEST(Varint, WhatFollowsIsNotRead) {
  const Result<Varint> read = read_varint(make_bytes({0xac, 0x02, 0xff, 0xff}), 0);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->value, 300u);
  EXPECT_EQ(read->size_bytes, 2u);
}

// Every value of up to nine groups with a zero group more at its end, up to the tenth.
TEST(Varint, LongerThanItsValueNeedsIsRefused) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{300}, ~std::uint64_t{0} >> 1}) {
    Bytes encoded = written_varint(value);
    while (encoded.size() < kMaxVarintBytes) {
      encoded.back() |= std::byte{0x80};
      encoded.push_back(std::byte{0});
      expect_refused(encoded, encoded.size() - 1, "shortest form");
    }
  }
}

TEST(Varint, EveryCutIsRefusedAtItsEnd) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    const Bytes whole = written_varint(std::uint64_t{1} << bit);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      expect_refused(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)), size,
                     "another byte");
    }
  }
}

// The tenth byte has room for one bit: every other one, and every further group, is beyond 64 bits.
TEST(Varint, MoreThan64BitsIsRefusedAtTheTenthByte) {
  for (unsigned tenth = 2; tenth < 256; ++tenth) {
    Bytes encoded(9, std::byte{0xff});
    encoded.push_back(static_cast<std::byte>(tenth));
    expect_refused(encoded, 9, "64 bits");
    encoded.push_back(std::byte{0x01});
    expect_refused(encoded, 9, "64 bits");
  }
}

}  // namespace
}  // namespace bloomery
