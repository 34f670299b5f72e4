// A buffer that grows and shrinks keeps its bytes, on small pages and on huge ones.
#include "base/growing_buffer.h"

#include <cstdint>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

char byte_at(std::size_t i) {
  return static_cast<char>((i * 0x9e3779b97f4a7c15u) >> 56);
}

TEST(GrowingBuffer, KeepsWhatItHas) {
  constexpr std::uint64_t kSeed = 20261121;
  for (const Pages pages : {Pages::kSmall, Pages::kHuge}) {
    std::mt19937_64 random(kSeed);
    GrowingBuffer buffer(pages);
    std::size_t written = 0;
    for (std::size_t size = 1; size < (std::size_t{40} << 20); size += 1 + random() % size) {
      ASSERT_TRUE(buffer.resize(size));
      ASSERT_EQ(buffer.size(), size);
      for (std::size_t i = 0; i < written; i += 997) {
        ASSERT_EQ(buffer.data()[i], byte_at(i)) << "size " << size << ", seed " << kSeed;
      }
      ASSERT_EQ(buffer.data()[size - 1], 0) << "new bytes are zero";
      for (; written < size; ++written) {
        buffer.data()[written] = byte_at(written);
      }
      if (random() % 4 == 0) {
        written = size / 2 + 1;
        std::memset(buffer.data() + written, 0, size - written);
        ASSERT_TRUE(buffer.resize(written));
      }
    }
  }
}

TEST(GrowingBuffer, RefusesWhatCannotBe) {
  for (const Pages pages : {Pages::kSmall, Pages::kHuge}) {
    GrowingBuffer buffer(pages);
    ASSERT_TRUE(buffer.resize(100));
    buffer.data()[99] = 'x';
    EXPECT_FALSE(buffer.resize(std::size_t{1} << 62));
    ASSERT_EQ(buffer.size(), 100u);
    EXPECT_EQ(buffer.data()[99], 'x');
  }
}

TEST(GrowingBuffer, MovesAndEmpties) {
  GrowingBuffer buffer;
  ASSERT_TRUE(buffer.resize(10));
  buffer.data()[3] = 'x';
  GrowingBuffer moved = std::move(buffer);
  EXPECT_EQ(moved.data()[3], 'x');
  EXPECT_TRUE(moved.resize(0));
  EXPECT_EQ(moved.size(), 0u);
  EXPECT_EQ(moved.data(), nullptr);
}

}  // namespace
}  // namespace bloomery
