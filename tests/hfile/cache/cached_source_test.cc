// A cached source gives the blocks that the source under it gives, asks for each once while there is room, keeps to
// its bound, and keeps no error. Files that share a cache never see a block of each other.
#include "hfile/cache/cached_source.h"

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery::hfile {
namespace {

// Blocks of 1,000 bytes at every offset but the odd ones.
class CountingSource final : public BlockSource {
 public:
  std::map<std::uint64_t, int> asked;

 private:
  Result<BlockPointer> fetch(const BlockAddress& address, ReadAhead* /*ahead*/) override {
    ++asked[address.offset];
    if (address.offset % 2 != 0) {
      return Error::corruption("data block", address.offset, "expected an even offset, found an odd one");
    }
    BlockHeader header;
    header.on_disk_bytes = address.on_disk_bytes;
    header.uncompressed_bytes = 1000 - kBlockHeaderBytes;
    return Block::make(header, address.offset, BlockMemory::of(1000), kBlockHeaderBytes);
  }
};

// A file, with a cache of its own unless one is given.
class Cached final : public BlockSource {
 public:
  Cached(BlockSource& disk, std::uint64_t most_bytes) : Cached(disk, BlockCache::make(most_bytes)) {}
  Cached(BlockSource& disk, std::shared_ptr<BlockCache> cache) : source_(disk, std::move(cache), counters_) {}

  void forget() override { source_.forget(); }

 private:
  Result<BlockPointer> fetch(const BlockAddress& address, ReadAhead* /*ahead*/) override {
    return source_.read(address);
  }

  ReadCounters counters_;
  CachedSource source_;
};

BlockAddress at(std::uint64_t offset) {
  return {.kind = BlockKind::kData, .offset = offset, .on_disk_bytes = 1000};
}

TEST(CachedSource, AsksOnceForEachBlockThatFits) {
  CountingSource source;
  Cached cache(source, 10'000);
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      const auto block = cache.read(at(2 * i));
      ASSERT_TRUE(block);
      EXPECT_EQ((*block)->offset(), 2 * i);
    }
  }
  for (const auto& [offset, count] : source.asked) {
    EXPECT_EQ(count, 1) << offset;
  }
}

TEST(CachedSource, KeepsToItsBoundAndKeepsWhatIsAskedFor) {
  CountingSource source;
  Cached cache(source, 3000);
  std::weak_ptr<const Block> first;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto block = cache.read(at(2 * i));
    ASSERT_TRUE(block);
    first = i == 1 ? std::weak_ptr(*block) : first;
    ASSERT_TRUE(cache.read(at(0)));  // asked for again and again
  }
  EXPECT_EQ(source.asked[0], 1);
  EXPECT_TRUE(first.expired()) << "a block that nobody asked for again is still in memory";
}

TEST(CachedSource, HandsOnABlockThatIsLargerThanAllOfIt) {
  CountingSource source;
  Cached cache(source, 999);
  EXPECT_TRUE(cache.read(at(4)));
  EXPECT_TRUE(cache.read(at(4)));
  EXPECT_EQ(source.asked[4], 2);
}

TEST(CachedSource, KeepsNoError) {
  CountingSource source;
  Cached cache(source, 10'000);
  EXPECT_FALSE(cache.read(at(3)));
  EXPECT_FALSE(cache.read(at(3)));
  EXPECT_EQ(source.asked[3], 2);
}

// An index that calls a block by another size is refused also when the block is there.
TEST(CachedSource, ChecksTheAddressOfWhatItKeeps) {
  CountingSource source;
  Cached cache(source, 10'000);
  ASSERT_TRUE(cache.read(at(2)));
  EXPECT_FALSE(cache.read({.kind = BlockKind::kData, .offset = 2, .on_disk_bytes = 999}));
  EXPECT_FALSE(cache.read({.kind = BlockKind::kBloomChunk, .offset = 2, .on_disk_bytes = 1000}));
}

// A slot that is used again must not be found under the offset of the block that lay in it.
TEST(CachedSource, ADroppedBlockIsReadAgainAndIsItself) {
  CountingSource source;
  Cached cache(source, 3000);
  int reads = 0;
  for (int round = 0; round < 100; ++round) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      const auto block = cache.read(at(2 * i));
      ASSERT_TRUE(block);
      EXPECT_EQ((*block)->offset(), 2 * i) << "round " << round;
    }
  }
  for (const auto& [offset, count] : source.asked) {
    reads += count;
  }
  EXPECT_GT(reads, 100 * 16);  // no more than three blocks can be there
  EXPECT_LT(reads, 100 * 20);
}

// Blocks of the size that their address says. The first time that the block at 0 is read, somebody else reads it meanwhile.
class SizedSource final : public BlockSource {
 public:
  std::map<std::uint64_t, int> asked;
  BlockSource* meanwhile = nullptr;

 private:
  Result<BlockPointer> fetch(const BlockAddress& address, ReadAhead* /*ahead*/) override {
    ++asked[address.offset];
    if (address.offset == 0 && meanwhile != nullptr) {
      EXPECT_TRUE(std::exchange(meanwhile, nullptr)->read(address));
    }
    BlockHeader header;
    header.on_disk_bytes = address.on_disk_bytes;
    header.uncompressed_bytes = static_cast<std::uint32_t>(address.on_disk_bytes - kBlockHeaderBytes);
    return Block::make(header, address.offset, BlockMemory::of(address.on_disk_bytes), kBlockHeaderBytes);
  }
};

// It must be asked for more often than each of the others.
TEST(CachedSource, MakesRoomForABlockThatNeedsThePlacesOfAll) {
  SizedSource source;
  Cached cache(source, 3000);
  for (const std::uint64_t offset : {0U, 2U, 4U, 0U, 4U}) {
    ASSERT_TRUE(cache.read(at(offset)));
  }
  const BlockAddress large{.kind = BlockKind::kData, .offset = 6, .on_disk_bytes = 3000};
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(cache.read(large));
  }
  EXPECT_GT(source.asked[6], 1);
  EXPECT_LT(source.asked[6], 10);
  ASSERT_TRUE(cache.read(at(0)));
  EXPECT_EQ(source.asked[0], 2);
}

TEST(CachedSource, KeepsABlockOnceThatTwoReadAtATime) {
  SizedSource source;
  Cached cache(source, 2000);
  source.meanwhile = &cache;
  ASSERT_TRUE(cache.read(at(0)));
  EXPECT_EQ(source.asked[0], 2);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(cache.read(at(2)));
    ASSERT_TRUE(cache.read(at(0)));
  }
  EXPECT_EQ(source.asked[0], 2);
  EXPECT_EQ(source.asked[2], 1);
}

// Two files have blocks at the same offsets, of the same sizes and kinds, and share all of a cache.
TEST(SharedCache, NeverGivesABlockOfAnotherFile) {
  CountingSource one;
  CountingSource two;
  const auto shared = BlockCache::make(100'000);
  Cached first(one, shared);
  Cached second(two, shared);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto of_first = first.read(at(2 * i));
    const auto of_second = second.read(at(2 * i));
    ASSERT_TRUE(of_first && of_second);
    EXPECT_NE(*of_first, *of_second);
    EXPECT_EQ(first.read(at(2 * i)).value(), *of_first);
    EXPECT_EQ(second.read(at(2 * i)).value(), *of_second);
  }
  EXPECT_EQ(shared->counters().blocks, 40U);
}

// The next file may lie at the same place in memory, and so may its groups.
TEST(SharedCache, AFileThatIsClosedTakesItsBlocksWithIt) {
  const auto shared = BlockCache::make(100'000);
  CountingSource source;
  for (int round = 0; round < 50; ++round) {
    auto file = std::make_unique<Cached>(source, shared);
    for (std::uint64_t i = 0; i < 20; ++i) {
      ASSERT_TRUE(file->read(at(2 * i)));
    }
    EXPECT_EQ(shared->counters().blocks, 20U);
    EXPECT_EQ(shared->counters().bytes, 20'000U);
    EXPECT_EQ(source.asked[0], round + 1) << "a block of a file that was closed came back";
    file.reset();
    EXPECT_EQ(shared->counters().blocks, 0U);
    EXPECT_EQ(shared->counters().bytes, 0U);
  }
}

TEST(SharedCache, CountsHitsAndMissesByKind) {
  CountingSource source;
  const auto shared = BlockCache::make(100'000);
  Cached file(source, shared);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(file.read(at(2)));
  }
  EXPECT_FALSE(file.read(at(3)));
  const CacheCounters counters = shared->counters();
  EXPECT_EQ(counters.of(BlockGroup::kData).hits, 2U);
  EXPECT_EQ(counters.of(BlockGroup::kData).misses, 2U);
  EXPECT_EQ(counters.of(BlockGroup::kIndex).misses, 0U);
}

TEST(SharedCache, KeepsNothingInNothing) {
  CountingSource source;
  Cached file(source, std::uint64_t{0});
  ASSERT_TRUE(file.read(at(2)));
  ASSERT_TRUE(file.read(at(2)));
  EXPECT_EQ(source.asked[2], 2);
}

// What forget() drops is of the one file.
TEST(SharedCache, ForgetsOneFile) {
  CountingSource one;
  CountingSource two;
  const auto shared = BlockCache::make(100'000);
  Cached first(one, shared);
  Cached second(two, shared);
  ASSERT_TRUE(first.read(at(2)) && second.read(at(2)));
  first.forget();
  ASSERT_TRUE(first.read(at(2)) && second.read(at(2)));
  EXPECT_EQ(one.asked[2], 2);
  EXPECT_EQ(two.asked[2], 1);
}

// Threads read, close and open files over a cache that is much too small. A sanitizer looks on.
TEST(SharedCache, ThreadsShareIt) {
  const auto shared = BlockCache::make(40'000'000);
  const auto work = [&](std::uint64_t seed) {
    for (std::uint64_t round = 0; round < 20; ++round) {
      CountingSource source;
      Cached file(source, shared);
      for (std::uint64_t i = 0; i < 500; ++i) {
        const std::uint64_t offset = (i * i * seed) % 97 * 2;
        const auto block = file.read(at(offset));
        ASSERT_TRUE(block);
        ASSERT_EQ((*block)->offset(), offset);
      }
      ASSERT_LE(source.asked.size(), 97U);
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    threads.emplace_back(work, seed);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(shared->counters().blocks, 0U);
}

}  // namespace
}  // namespace bloomery::hfile
