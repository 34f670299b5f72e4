#include "hfile/read_ahead.h"

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery::hfile {
namespace {

constexpr std::uint64_t kScannedBytes = std::uint64_t{1} << 20;

// A scan of blocks. Returns how many bytes each read of the file brought.
class BlockScan {
 public:
  explicit BlockScan(std::shared_ptr<MemoryBudget> memory = nullptr) : memory_(std::move(memory)) {}

  void block(std::uint64_t offset, std::size_t size) {
    ahead_.pass(offset, size);
    if (!ahead_.find(offset, size).empty()) {
      return;
    }
    const auto room = ahead_.room(size, kScannedBytes - offset, memory_);
    reads.push_back(room.empty() ? size : room.size());
    if (!room.empty()) {
      ahead_.fill(offset, room.size());
      EXPECT_EQ(ahead_.find(offset, size).data(), room.data());
    }
  }

  std::vector<std::size_t> reads;

 private:
  std::shared_ptr<MemoryBudget> memory_;
  ReadAhead ahead_;
};

TEST(ReadAhead, DoublesItsStepUpTo64KiB) {
  BlockScan scan;
  for (std::uint64_t i = 0; i < 100; ++i) {
    scan.block(100 + i * 4096, 4096);
  }
  const std::vector<std::size_t> expected = {4096,  8192,  16384, 32768, 65536,
                                             65536, 65536, 65536, 65536, 65536};
  ASSERT_GE(scan.reads.size(), expected.size());
  scan.reads.resize(expected.size());
  EXPECT_EQ(scan.reads, expected);
}

TEST(ReadAhead, ReadsABlockElsewhereAloneAndBeginsAnew) {
  BlockScan scan;
  for (const std::uint64_t block : {0U, 1U, 2U, 3U, 50U, 51U, 52U, 20U, 40U, 60U}) {
    scan.block(100 + block * 4096, 4096);
  }
  // 1 reads 2 with it, and 3 begins behind them. 51 reads 52.
  EXPECT_EQ(scan.reads, (std::vector<std::size_t>{4096, 8192, 16384, 4096, 8192, 4096, 4096, 4096}));
}

TEST(ReadAhead, ReadsLargeBlocksAlone) {
  BlockScan scan;
  for (std::uint64_t i = 0; i < 5; ++i) {
    scan.block(100 + i * 65536, 65536);
  }
  EXPECT_EQ(scan.reads, std::vector<std::size_t>(5, 65536));
}

TEST(ReadAhead, ReadsNothingBehindTheEnd) {
  BlockScan scan;
  for (std::uint64_t at = kScannedBytes - 5 * 4096; at < kScannedBytes; at += 4096) {
    scan.block(at, 4096);
  }
  EXPECT_EQ(scan.reads, (std::vector<std::size_t>{4096, 8192, 8192}));
}

TEST(ReadAhead, FindsOnlyWhatIsWhollyThere) {
  ReadAhead ahead;
  ahead.pass(1000, 100);
  ahead.pass(1100, 100);
  const auto room = ahead.room(100, kScannedBytes, nullptr);
  ASSERT_EQ(room.size(), 200U);
  ahead.fill(1100, 200);
  EXPECT_EQ(ahead.find(1200, 100).data(), room.data() + 100);
  EXPECT_TRUE(ahead.find(1201, 100).empty());
  EXPECT_TRUE(ahead.find(1099, 100).empty());
  EXPECT_TRUE(ahead.find(1300, 1).empty());
  EXPECT_TRUE(ahead.find(1200, ~std::size_t{0}).empty());
  EXPECT_TRUE(ahead.find(~std::uint64_t{0}, 100).empty());
}

// A file whose memory is nearly used up gets none for this.
TEST(ReadAhead, TakesNoMemoryThatIsShort) {
  const auto memory = std::make_shared<MemoryBudget>(4 * ReadAhead::kMostBytes);
  {
    BlockScan scan(memory);
    for (std::uint64_t i = 0; i < 10; ++i) {
      scan.block(i * 4096, 4096);
    }
    EXPECT_LT(scan.reads.size(), 10U);
    EXPECT_EQ(memory->used(), ReadAhead::kMostBytes);
    BlockScan other(memory);
    for (std::uint64_t i = 0; i < 10; ++i) {
      other.block(i * 4096, 4096);
    }
    EXPECT_EQ(other.reads.size(), 10U);
  }
  EXPECT_EQ(memory->used(), 0U);
}

}  // namespace
}  // namespace bloomery::hfile
