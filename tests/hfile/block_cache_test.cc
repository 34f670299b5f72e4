// The cache gives the blocks that the source under it gives, asks for each once while there is room, keeps to
// its bound, and keeps no error.
#include "hfile/block_cache.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace bloomery::hfile {
namespace {

// Blocks of 1,000 bytes at every offset but the odd ones.
class CountingSource final : public BlockSource {
 public:
  std::map<std::uint64_t, int> asked;

 private:
  Result<BlockPointer> fetch(const BlockAddress& address) override {
    ++asked[address.offset];
    if (address.offset % 2 != 0) {
      return Error::corruption("data block", address.offset, "expected an even offset, found an odd one");
    }
    BlockHeader header;
    header.on_disk_bytes = address.on_disk_bytes;
    header.uncompressed_bytes = 1000 - kBlockHeaderBytes;
    auto bytes = std::make_unique<std::byte[]>(1000);
    return BlockPointer(std::make_shared<Block>(header, address.offset, std::move(bytes), kBlockHeaderBytes));
  }
};

BlockAddress at(std::uint64_t offset) {
  return {.kind = BlockKind::kData, .offset = offset, .on_disk_bytes = 1000};
}

TEST(BlockCache, AsksOnceForEachBlockThatFits) {
  CountingSource source;
  BlockCache cache(source, 10'000);
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

TEST(BlockCache, KeepsToItsBoundAndKeepsWhatIsAskedFor) {
  CountingSource source;
  BlockCache cache(source, 3000);
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

TEST(BlockCache, HandsOnABlockThatIsLargerThanAllOfIt) {
  CountingSource source;
  BlockCache cache(source, 999);
  EXPECT_TRUE(cache.read(at(4)));
  EXPECT_TRUE(cache.read(at(4)));
  EXPECT_EQ(source.asked[4], 2);
}

TEST(BlockCache, KeepsNoError) {
  CountingSource source;
  BlockCache cache(source, 10'000);
  EXPECT_FALSE(cache.read(at(3)));
  EXPECT_FALSE(cache.read(at(3)));
  EXPECT_EQ(source.asked[3], 2);
}

// An index that calls a block by another size is refused also when the block is there.
TEST(BlockCache, ChecksTheAddressOfWhatItKeeps) {
  CountingSource source;
  BlockCache cache(source, 10'000);
  ASSERT_TRUE(cache.read(at(2)));
  EXPECT_FALSE(cache.read({.kind = BlockKind::kData, .offset = 2, .on_disk_bytes = 999}));
  EXPECT_FALSE(cache.read({.kind = BlockKind::kBloomChunk, .offset = 2, .on_disk_bytes = 1000}));
}

// A slot that is used again must not be found under the offset of the block that lay in it.
TEST(BlockCache, AnEvictedBlockIsReadAgainAndIsItself) {
  CountingSource source;
  BlockCache cache(source, 3000);
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      const auto block = cache.read(at(2 * i));
      ASSERT_TRUE(block);
      EXPECT_EQ((*block)->offset(), 2 * i) << "round " << round;
    }
  }
  EXPECT_EQ(source.asked[0], 3);
}

// Blocks of the size that their address says. The first time that the block at 0 is read, somebody else reads it meanwhile.
class SizedSource final : public BlockSource {
 public:
  std::map<std::uint64_t, int> asked;
  BlockCache* meanwhile = nullptr;

 private:
  Result<BlockPointer> fetch(const BlockAddress& address) override {
    ++asked[address.offset];
    if (address.offset == 0 && meanwhile != nullptr) {
      EXPECT_TRUE(std::exchange(meanwhile, nullptr)->read(address));
    }
    BlockHeader header;
    header.on_disk_bytes = address.on_disk_bytes;
    header.uncompressed_bytes = static_cast<std::uint32_t>(address.on_disk_bytes - kBlockHeaderBytes);
    auto bytes = std::make_unique<std::byte[]>(address.on_disk_bytes);
    return BlockPointer(std::make_shared<Block>(header, address.offset, std::move(bytes), kBlockHeaderBytes));
  }
};

// It goes round twice where blocks were asked for again, and passes places that it has just emptied.
TEST(BlockCache, MakesRoomForABlockThatNeedsThePlacesOfAll) {
  SizedSource source;
  BlockCache cache(source, 3000);
  for (const std::uint64_t offset : {0U, 2U, 4U, 0U, 4U}) {
    ASSERT_TRUE(cache.read(at(offset)));
  }
  const BlockAddress large{.kind = BlockKind::kData, .offset = 6, .on_disk_bytes = 3000};
  ASSERT_TRUE(cache.read(large));
  ASSERT_TRUE(cache.read(large));
  EXPECT_EQ(source.asked[6], 1);
  ASSERT_TRUE(cache.read(at(0)));
  EXPECT_EQ(source.asked[0], 2);
}

TEST(BlockCache, KeepsABlockOnceThatTwoReadAtATime) {
  SizedSource source;
  BlockCache cache(source, 2000);
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

}  // namespace
}  // namespace bloomery::hfile
