// The pieces of slabs: nobody else's bytes, bounded memory, and all of it given back.
#include "hfile/slabs.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hfile/block_memory.h"

namespace bloomery::hfile {
namespace {

constexpr std::size_t kSlabBytes = std::size_t{2} << 20;

// Whether slabs are made here. The address sanitizer turns them off.
bool has_slabs() {
  Slabs slabs;
  std::vector<Slabs::Piece> pieces;
  for (std::size_t bytes = 0; bytes <= Slabs::kBegin + 5000; bytes += 5000) {
    pieces.push_back(slabs.take(5000));
  }
  const bool has = slabs.bytes_of_slabs() > 0;
  for (const Slabs::Piece& piece : pieces) {
    slabs.give_back(piece);
  }
  return has;
}

// A piece whose bytes say whose they are.
struct Filled {
  Slabs::Piece piece;
  std::size_t asked = 0;
  int mark = 0;

  void fill() const { std::memset(piece.start, mark, asked); }
  bool is_whole() const {
    return std::all_of(piece.start, piece.start + asked,
                       [&](std::byte byte) { return byte == static_cast<std::byte>(mark); });
  }
};

// Sizes from below the least to above the most that slabs have, and all the bounds between two sizes.
TEST(Slabs, PiecesKeepTheirBytesWhateverIsTakenAndGivenBack) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  Slabs slabs;
  std::vector<Filled> held;
  std::size_t in_use = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (held.empty() || random() % 16 < (held.size() < 600 ? 9U : 7U)) {
      const std::size_t around = std::size_t{1} << (9 + random() % 10);
      const std::size_t bytes = random() % 4 == 0 ? around + random() % 3 - 1 : around + random() % around;
      const Filled filled{
          .piece = slabs.take(bytes), .asked = bytes, .mark = static_cast<int>(random() % 256)};
      ASSERT_GE(filled.piece.bytes, bytes);
      ASSERT_LE(filled.piece.bytes, bytes + bytes / 8 + 1);
      filled.fill();
      in_use += filled.piece.bytes;
      held.push_back(filled);
    } else {
      std::swap(held[random() % held.size()], held.back());
      ASSERT_TRUE(held.back().is_whole());
      in_use -= held.back().piece.bytes;
      slabs.give_back(held.back().piece);
      held.pop_back();
    }
    ASSERT_EQ(slabs.bytes_in_use(), in_use);
  }
  for (const Filled& filled : held) {
    ASSERT_TRUE(filled.is_whole());
    slabs.give_back(filled.piece);
  }
  EXPECT_EQ(slabs.bytes_in_use(), 0u);
  EXPECT_LE(slabs.bytes_of_slabs(), kSlabBytes) << "more than the one that stays";
}

TEST(Slabs, AProcessWithFewBlocksHasNone) {
  Slabs slabs;
  std::vector<Slabs::Piece> pieces;
  for (std::size_t bytes = 0; bytes + 4096 < Slabs::kBegin; bytes += 4096) {
    pieces.push_back(slabs.take(4096));
    ASSERT_EQ(pieces.back().slab, nullptr);
  }
  EXPECT_EQ(slabs.bytes_of_slabs(), 0u);
  for (const Slabs::Piece& piece : pieces) {
    slabs.give_back(piece);
  }
}

// As a cache whose blocks change from one size to another: what was in use at most bounds what is taken.
TEST(Slabs, BlocksOfOneSizeBehindThoseOfAnotherTakeAtMostTwiceTheMemory) {
  if (!has_slabs()) {
    GTEST_SKIP() << "no slabs with this sanitizer";
  }
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  constexpr std::size_t kMost = std::size_t{24} << 20;
  Slabs slabs;
  std::vector<Slabs::Piece> held;
  std::size_t outside = 0;  // of slabs
  for (const std::size_t bytes : {5'000U, 70'000U, 2'000U, 40'000U, 5'000U}) {
    for (std::size_t taken = 0; taken < 3 * kMost; taken += bytes) {
      held.push_back(slabs.take(bytes));
      outside += held.back().slab == nullptr ? held.back().bytes : 0;
      while (slabs.bytes_in_use() > kMost) {
        std::swap(held[random() % held.size()], held.back());
        outside -= held.back().slab == nullptr ? held.back().bytes : 0;
        slabs.give_back(held.back());
        held.pop_back();
      }
      ASSERT_LE(slabs.bytes_of_slabs() + outside, 2 * kMost + 2 * kSlabBytes);
    }
    EXPECT_GT(slabs.bytes_of_slabs(), kMost / 2) << bytes;
  }
  for (const Slabs::Piece& piece : held) {
    slabs.give_back(piece);
  }
}

TEST(Slabs, ThreadsGiveBackWhatOthersHaveTaken) {
  Slabs slabs;
  std::vector<std::vector<Filled>> taken(4);
  const auto in_threads = [](auto work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 4; ++i) {
      threads.emplace_back(work, i);
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  };
  in_threads([&](std::size_t i) {
    for (int n = 0; n < 500; ++n) {
      taken[i].push_back({.piece = slabs.take(4000), .asked = 4000, .mark = n % 256});
      taken[i].back().fill();
    }
  });
  std::atomic<int> broken = 0;
  in_threads([&](std::size_t i) {
    for (const Filled& filled : taken[(i + 1) % 4]) {
      broken += filled.is_whole() ? 0 : 1;
      slabs.give_back(filled.piece);
    }
  });
  EXPECT_EQ(broken, 0);
  EXPECT_EQ(slabs.bytes_in_use(), 0u);
}

TEST(BlockMemory, GoesBackWithoutABlockAndWithTheLastUserOfOne) {
  const std::size_t before = Slabs::of_process().bytes_in_use();
  {
    BlockMemory memory = BlockMemory::of(5000, 64);
    const BlockMemory moved = std::move(memory);
    EXPECT_EQ(moved.bytes().size(), 5000u);
    EXPECT_EQ(moved.room().size(), 64u);
    EXPECT_GE(Slabs::of_process().bytes_in_use(), before + 5000);
  }
  EXPECT_EQ(Slabs::of_process().bytes_in_use(), before);
  std::shared_ptr<int> user;
  {
    const auto made = BlockMemory::make_in_front<int>(BlockMemory::of(5000), 7);
    user = made;
  }
  EXPECT_EQ(*user, 7);
  EXPECT_GE(Slabs::of_process().bytes_in_use(), before + 5000);
  user.reset();
  EXPECT_EQ(Slabs::of_process().bytes_in_use(), before);
}

}  // namespace
}  // namespace bloomery::hfile
