// Memory for filters: zeroed, aligned, and refused rather than died for.
#include "base/memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace bloomery {
namespace {

static_assert(!std::is_copy_constructible_v<AlignedBuffer>);
static_assert(std::is_nothrow_move_constructible_v<AlignedBuffer>);

AlignedBuffer zeroed(std::uint64_t size) {
  Result<AlignedBuffer> buffer = AlignedBuffer::zeroed(size);
  EXPECT_TRUE(buffer) << buffer.error().to_string();
  return std::move(buffer).value();
}

bool is_aligned(const AlignedBuffer& buffer, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(buffer.bytes().data()) % alignment == 0;
}

bool is_zero(const AlignedBuffer& buffer) {
  return std::all_of(buffer.bytes().begin(), buffer.bytes().end(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

// The second buffer of a size may be the first one's memory, full of what it held.
TEST(AlignedBuffer, IsZeroedAndAlignedAtEverySize) {
  constexpr std::size_t kThreshold = kHugePageThreshold;
  for (const std::size_t size : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                                 std::size_t{100'000}, kHugePageBytes * 8 / 9, kHugePageBytes - 1,
                                 kHugePageBytes, kThreshold - 1, kThreshold, kThreshold + 1}) {
    for (int repetition = 0; repetition < 2; ++repetition) {
      const AlignedBuffer buffer = zeroed(size);
      EXPECT_EQ(buffer.bytes().size(), size);
      EXPECT_TRUE(is_aligned(buffer, kCacheLineBytes)) << size;
      EXPECT_TRUE(is_zero(buffer)) << size;
      std::fill(buffer.bytes().begin(), buffer.bytes().end(), std::byte{0xff});
    }
  }
}

// What is made and thrown away costs no page that was not touched.
TEST(AlignedBuffer, TakesItsPagesWhenTheyAreFirstUsed) {
  const auto resident_pages = [] {
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident;
  };
  std::string setting;
  std::ifstream enabled("/sys/kernel/mm/transparent_hugepage/enabled");
  if (!std::getline(enabled, setting) || setting.find("[never]") != std::string::npos) {
    GTEST_SKIP() << "the machine gives no huge pages";
  }
  const std::uint64_t before = resident_pages();
  const AlignedBuffer buffer = zeroed(kHugePageThreshold - 1);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_LT(resident_pages(), before + kHugePageThreshold / page / 2);
  EXPECT_TRUE(is_zero(buffer));
}

// What is taken and was not asked for is little.
TEST(AlignedBuffer, LiesOnHugePagesIfItNearlyFillsThem) {
  EXPECT_FALSE(nearly_fills_huge_pages(0));
  for (const std::size_t whole : {kHugePageBytes, 2 * kHugePageBytes}) {
    EXPECT_TRUE(nearly_fills_huge_pages(whole));
    EXPECT_TRUE(nearly_fills_huge_pages(whole - whole / 9));
    EXPECT_FALSE(nearly_fills_huge_pages(whole - whole / 9 - 1));
  }
  EXPECT_FALSE(nearly_fills_huge_pages(kHugePageBytes + 1));
}

TEST(AlignedBuffer, LiesOnHugePagesFromTheThresholdOn) {
  for (const std::size_t more : {0u, 1u, 4096u, (2u << 20) - 1, 2u << 20}) {
    EXPECT_TRUE(is_aligned(zeroed(kHugePageThreshold + more), std::size_t{2} << 20)) << more;
  }
}

TEST(AlignedBuffer, OfNothingIsEmpty) {
  EXPECT_TRUE(zeroed(0).bytes().empty());
  EXPECT_TRUE(AlignedBuffer().bytes().empty());
}

TEST(AlignedBuffer, MovesItsMemory) {
  for (const std::size_t size : {std::size_t{100}, kHugePageThreshold}) {
    AlignedBuffer first = zeroed(size);
    first.bytes()[7] = std::byte{42};
    const std::byte* const data = first.bytes().data();
    AlignedBuffer second = std::move(first);
    EXPECT_EQ(second.bytes().data(), data);
    EXPECT_TRUE(first.bytes().empty());  // NOLINT(bugprone-use-after-move): what a moved-from one is

    AlignedBuffer third = zeroed(200);  // given back by the assignment: the leak checker sees it otherwise
    third = std::move(second);
    EXPECT_EQ(third.bytes().data(), data);
    EXPECT_EQ(third.bytes().size(), size);
    EXPECT_EQ(third.bytes()[7], std::byte{42});
  }
}

TEST(AlignedBuffer, AssigningToItselfKeepsIt) {
  AlignedBuffer buffer = zeroed(100);
  AlignedBuffer& same = buffer;
  buffer = std::move(same);
  EXPECT_EQ(buffer.bytes().size(), 100u);
  EXPECT_TRUE(is_zero(buffer));
}

// The sizes at the top would overflow when rounded up to pages.
TEST(AlignedBuffer, MoreThanTheMachineHasIsRefusedWithBothNumbers) {
  const std::uint64_t limit = memory_limit_bytes();
  for (const std::uint64_t size : {limit + 1, 2 * limit, std::numeric_limits<std::uint64_t>::max() - 100,
                                   std::numeric_limits<std::uint64_t>::max()}) {
    const Result<AlignedBuffer> buffer = AlignedBuffer::zeroed(size);
    ASSERT_FALSE(buffer) << size;
    EXPECT_EQ(buffer.error().code(), ErrorCode::kCapacity);
    EXPECT_NE(buffer.error().detail().find(std::to_string(size)), std::string::npos);
    EXPECT_NE(buffer.error().detail().find(std::to_string(limit)), std::string::npos);
  }
}

TEST(MemoryLimit, IsAboutTheMachines) {
  EXPECT_GT(memory_limit_bytes(), std::uint64_t{1} << 20);
  EXPECT_LE(memory_limit_bytes(), std::uint64_t{1} << 56);
}

// Below the limit the system may still refuse: here because of ulimit -v, in a process of its own.
TEST(AlignedBufferDeathTest, WhatTheSystemRefusesIsAnErrorToo) {
  const auto ask_beyond_the_limit = [] {
    constexpr std::uint64_t kMore = std::uint64_t{64} << 20;
    std::uint64_t pages_now = 0;
    std::ifstream("/proc/self/statm") >> pages_now;
    const rlim_t allowed = pages_now * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + kMore;
    const rlimit limit = {.rlim_cur = allowed, .rlim_max = allowed};
    const bool set = ::setrlimit(RLIMIT_AS, &limit) == 0;
    const Result<AlignedBuffer> buffer = AlignedBuffer::zeroed(4 * kMore);
    std::_Exit(set && !buffer && buffer.error().code() == ErrorCode::kCapacity ? 0 : 1);
  };
  EXPECT_EXIT(ask_beyond_the_limit(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace bloomery
