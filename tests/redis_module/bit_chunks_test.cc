// Bits in chunks: sets, copies, loads and memory that is lacking, compared with a plain model.
#include "redis_module/bit_chunks.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "redis_module/chunk_memory.h"
#include "redis_module/server_memory.h"

namespace bloomery::redis_module {
namespace {

constexpr std::uint64_t kSmall = 100'000;  // bytes; its chunks are made at once
constexpr std::uint64_t kLargeBits = 3'000'008;

// Chunks beside the bytes that they should have.
struct Pair {
  BitChunks chunks;
  std::vector<std::byte> model;

  explicit Pair(std::uint64_t bytes) : chunks(std::move(BitChunks::zeroed(bytes)).value()), model(bytes) {}

  void set(std::uint64_t position) {
    ASSERT_TRUE(chunks.set(position));
    model[position / 8] |= static_cast<std::byte>(1U << (position % 8));
  }
  // Sets some bits of a window as a blocked filter does.
  void change_window(std::uint64_t offset, const WindowWords& words) {
    WindowWords scratch;
    const std::uint64_t* const before = chunks.window(offset, scratch);
    if (std::uint64_t* const own = chunks.own_window(offset); own != nullptr) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        own[i] |= words[i];
      }
    } else {
      WindowWords added = words;
      for (std::size_t i = 0; before != nullptr && i < words.size(); ++i) {
        added[i] &= ~before[i];
      }
      ASSERT_TRUE(chunks.set_window(offset, added));
    }
    for (std::uint64_t bit = 0; bit < 512; ++bit) {
      if ((words[bit / 64] >> (bit % 64) & 1) != 0) {
        model[offset + bit / 8] |= static_cast<std::byte>(1U << (bit % 8));
      }
    }
  }
  void expect_equal(const char* what) const {
    std::vector<std::byte> bytes(model.size());
    chunks.load(0, bytes);
    ASSERT_EQ(bytes, model) << what;
  }
};

class BitChunksOf : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(BitChunksOf, AreAsAModelWhateverIsSetAndCopied) {
  const std::uint64_t seed = 7 + GetParam();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const std::uint64_t bytes_before = all_chunk_bytes();
  {
    std::vector<std::unique_ptr<Pair>> pairs;
    pairs.push_back(std::make_unique<Pair>(GetParam()));
    const std::uint64_t bits = GetParam() * 8;
    for (int step = 0; step < 60'000; ++step) {
      Pair& pair = *pairs[random() % pairs.size()];
      const std::uint64_t position = random() % bits;
      if (step % 10'000 == 9'999) {
        const std::size_t from = random() % pairs.size();
        pairs.push_back(std::make_unique<Pair>(*pairs[from]));
      } else if (step % 14'000 == 13'999) {
        pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(random() % (pairs.size() - 1)));
        continue;
      } else if (step % 2 == 0) {
        pair.set(position);
      } else {
        const std::uint64_t offset = position / 512 % (GetParam() / 64) * 64;
        pair.change_window(offset,
                           {random() & random() & random(), 0, 1ULL << (random() % 64), 0, 0, 0, 0, ~0ULL});
        WindowWords scratch;
        const std::uint64_t* const window = pair.chunks.window(offset, scratch);
        ASSERT_NE(window, nullptr);
        ASSERT_EQ(std::memcmp(window, pair.model.data() + offset, 64), 0);
      }
      const bool expected = (pair.model[position / 8] >> (position % 8) & std::byte{1}) != std::byte{0};
      ASSERT_EQ(pair.chunks.test(position), expected) << position;
    }
    for (const auto& pair : pairs) {
      pair->expect_equal("at the end");
    }
  }
  EXPECT_EQ(all_chunk_bytes(), bytes_before) << "all memory is given back";
}

TEST_P(BitChunksOf, OfWhichAPartIsLoadedAndStoredAreTheSame) {
  std::mt19937_64 random(11);
  Pair pair(GetParam());
  for (int i = 0; i < 3000; ++i) {
    pair.set(random() % (GetParam() * 8));
  }
  BitChunks again = std::move(BitChunks::zeroed(GetParam())).value();
  for (std::uint64_t at = 0; at < GetParam();) {
    std::vector<std::byte> piece(std::min<std::uint64_t>(1 + random() % 20'000, GetParam() - at));
    pair.chunks.load(at, piece);
    ASSERT_EQ(std::memcmp(piece.data(), pair.model.data() + at, piece.size()), 0) << at;
    ASSERT_TRUE(again.store(at, piece));
    at += piece.size();
  }
  std::vector<std::byte> bytes(GetParam());
  again.load(0, bytes);
  EXPECT_EQ(bytes, pair.model);
}

TEST_P(BitChunksOf, AreMovedUnlessACopySharesThem) {
  Pair pair(GetParam());
  std::mt19937_64 random(5);
  for (std::uint64_t i = 0; i < GetParam() / 40; ++i) {
    pair.set(random() % (GetParam() * 8));
  }
  std::size_t moved = 0;
  const auto move = [&](void* memory) {
    const std::size_t size = ::malloc_usable_size(memory);
    void* const place = std::malloc(size);
    std::memcpy(place, memory, size);
    std::free(memory);
    ++moved;
    return place;
  };
  const auto move_all = [&](BitChunks& chunks) {
    for (std::size_t i = 0; i < chunks.group_count(); ++i) {
      chunks.move_group(i, move);
    }
  };
  {
    BitChunks copy(pair.chunks);
    move_all(copy);
    move_all(pair.chunks);
    EXPECT_EQ(moved, 0u);
  }
  pair.set(0);
  pair.expect_equal("before");
  for (std::uint64_t i = 0; i < GetParam(); ++i) {  // each chunk is written again
    pair.set(i * 8);
  }
  move_all(pair.chunks);
  EXPECT_EQ(moved, (GetParam() + 8191) / 8192);
  pair.expect_equal("after");
}

INSTANTIATE_TEST_SUITE_P(Sizes, BitChunksOf, ::testing::Values(64, 8200, kSmall, kLargeBits));

TEST(BitChunks, OfNoBytesOrTooManyAreRefused) {
  EXPECT_FALSE(BitChunks::zeroed(0));
  EXPECT_FALSE(BitChunks::zeroed(kMostBytes + 1));
}

TEST(BitChunks, ThatAreNearlyEmptyTakeLittleMemoryAndTheMemoryIsCounted) {
  Pair pair(64 << 20);
  const std::uint64_t empty = pair.chunks.memory_bytes();
  EXPECT_LT(empty, 64U << 10U);
  std::mt19937_64 random(3);
  const std::uint64_t before = all_chunk_bytes();
  for (int i = 0; i < 10'000; ++i) {
    pair.set(random() % (pair.model.size() * 8));
  }
  EXPECT_LT(pair.chunks.memory_bytes(), 500'000u);
  EXPECT_GE(pair.chunks.memory_bytes() - empty, all_chunk_bytes() - before);
  for (int i = 0; i < 2'000'000; ++i) {
    pair.set(random() % (pair.model.size() * 8));
  }
  EXPECT_EQ(all_chunk_bytes() - before, std::uint64_t{64} << 20)
      << "all chunks are made and no bit is pending";
  EXPECT_NEAR(static_cast<double>(pair.chunks.memory_bytes()), 64 << 20, 500'000);
  const BitChunks copy(pair.chunks);
  EXPECT_EQ(copy.memory_bytes(), pair.chunks.memory_bytes());
  EXPECT_EQ(all_chunk_bytes() - before, std::uint64_t{64} << 20);
}

TEST(BitChunks, OfACopyThatIsWrittenTakeAsMuchMemoryAsBefore) {
  Pair pair(kSmall);
  for (std::uint64_t i = 0; i < kSmall; ++i) {
    pair.set(i * 8);
  }
  const std::uint64_t usual = pair.chunks.memory_bytes();
  const std::uint64_t before = all_chunk_bytes();
  {
    Pair copy(pair);
    copy.set(1);
    EXPECT_EQ(copy.chunks.memory_bytes(), usual);
    EXPECT_EQ(all_chunk_bytes() - before, 8192u) << "one chunk was copied";
    copy.expect_equal("copy");
    pair.expect_equal("original");
  }
  EXPECT_EQ(all_chunk_bytes(), before);
}

TEST(BitChunks, OfACopyKeepTheirPendingBitsWhenTheOthersMakeAChunkOfThem) {
  Pair pair(kLargeBits);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Pair copy(pair);
    pair.set(i * 321);  // all in one chunk, which is made after some of them
    copy.expect_equal("copy");
    pair.expect_equal("original");
  }
}

TEST(BitChunks, ABitThatIsSetAgainTakesNoMoreMemory) {
  Pair pair(kLargeBits);
  pair.set(77);
  const std::uint64_t usual = pair.chunks.memory_bytes();
  for (int i = 0; i < 1000; ++i) {
    pair.set(77);
  }
  EXPECT_EQ(pair.chunks.memory_bytes(), usual);
  pair.expect_equal("one bit");
}

// Memory that is lacking after so many calls. Tests run one at a time.
int calls_left =
    0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): the calls have no argument for it

TEST(BitChunks, WithoutMemoryTheyRefuseAndLoseNothing) {
  for (const std::uint64_t bytes : {kSmall, kLargeBits}) {
    for (int calls = 0; calls < 300; calls += calls < 40 ? 1 : 37) {
      Pair pair(bytes);
      std::mt19937_64 random(static_cast<std::uint64_t>(calls));
      for (int i = 0; i < 2000; ++i) {
        pair.set(random() % (bytes * 8) % 300'000);
      }
      Pair copy(pair);
      calls_left = calls;
      use_server_memory({.try_zeroed = [](std::size_t count, std::size_t size) -> void* {
                           return calls_left-- > 0 ? std::calloc(count, size) : nullptr;
                         },
                         .try_unset = [](std::size_t size) -> void* {
                           return calls_left-- > 0 ? std::malloc(size) : nullptr;
                         },
                         .release = std::free});
      int refused = 0;
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t position = random() % (bytes * 8) % 300'000;
        if (copy.chunks.set(position)) {
          copy.model[position / 8] |= static_cast<std::byte>(1U << (position % 8));
        } else {
          ++refused;
        }
      }
      use_server_memory({.try_zeroed = std::calloc, .try_unset = std::malloc, .release = std::free});
      copy.expect_equal("the copy has what it took");
      pair.expect_equal("the original has not changed");
      if (calls == 0) {
        EXPECT_GT(refused, 0);
      }
    }
  }
}

}  // namespace
}  // namespace bloomery::redis_module
