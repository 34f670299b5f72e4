// The log format of LevelDB and RocksDB: pieces, torn tails, and logs that were written over older ones.
#include "codec/sstable/log_records.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compress/block_compress.h"
#include "tests/codec/crafted_log.h"
#include "tests/codec/damage.h"

namespace bloomery::sstable {
namespace {

constexpr std::size_t kBlockBytes = 32768;
constexpr std::uint64_t kNumber = 7;

struct Read {
  std::vector<std::string> records;
  bool failed = false;
  ErrorCode code = ErrorCode::kIo;
  bool torn = false;
};

Read read_all(const std::string& file) {
  LogRecords log(bytes_of(file), kNumber, "log");
  Read read;
  while (true) {
    const Result<bool> more = log.next();
    if (!more) {
      read.failed = true;
      read.code = more.error().code();
      return read;
    }
    if (!*more) {
      read.torn = log.is_torn();
      return read;
    }
    read.records.push_back(text_of(log.record()));
  }
}

using Records = std::vector<std::string>;

// A frame that states its size, as the library makes it.
std::string zstd_frame_of(const std::string& text) {
  BlockCompressor compressor = BlockCompressor::create(BlockCodec::kZstd).value();
  std::string frame(compressor.largest_compressed(text.size()), '\0');
  frame.resize(compressor.compress(bytes_of(text), std::as_writable_bytes(std::span(frame))).value());
  return frame;
}

std::string numbered(unsigned type, const std::string& bytes, std::uint32_t number = kNumber) {
  return log_piece(type, bytes, little_bytes(number));
}

TEST(LogRecords, JoinsPiecesAndSkipsTheEndOfABlock) {
  EXPECT_EQ(read_all("").records, Records());
  EXPECT_EQ(read_all(log_piece(1, "one") + log_piece(1, "") + log_piece(1, "three")).records,
            Records({"one", "", "three"}));
  const std::string first(kBlockBytes - 7 - 10 - 7, 'a');
  const std::string front = log_piece(1, first) + log_piece(2, "bbb");  // the block ends 7 bytes early
  EXPECT_EQ(front.size(), kBlockBytes - 7);
  const std::string middle(kBlockBytes - 7, 'c');
  const std::string file = front + log_piece(2, "") + log_piece(3, middle) + log_piece(4, "d");
  EXPECT_TRUE(read_all(file).failed);  // a first piece inside of a record
  const std::string early = log_piece(1, std::string(kBlockBytes - 7 - 7, 'a')) + log_piece(2, "");
  EXPECT_EQ(read_all(early + log_piece(1, "x")).records.back(), "x");  // as an old writer left it
  const std::string end = log_piece(1, std::string(kBlockBytes - 7 - 6, 'a')) + std::string(6, '\0');
  EXPECT_EQ(read_all(end + log_piece(2, "x") + log_piece(3, "y") + log_piece(4, "z")).records.back(), "xyz");
}

TEST(LogRecords, ATornTailEndsTheLog) {
  const std::string one = log_piece(1, "one");
  for (const std::string& tail : {std::string("\1"), log_piece(1, "two").substr(0, 9), log_piece(2, "two"),
                                  log_piece(2, "two") + "abc"}) {
    const Read read = read_all(one + tail);
    EXPECT_FALSE(read.failed);
    EXPECT_TRUE(read.torn);
    EXPECT_EQ(read.records, Records({"one"}));
  }
  for (const std::size_t zeros : {1U, 6U, 7U, 5000U, 70000U}) {
    const Read read = read_all(one + std::string(zeros, '\0'));
    EXPECT_FALSE(read.failed || read.torn) << zeros;
    EXPECT_EQ(read.records.size(), 1u);
  }
  const std::string unwritten = one + std::string(kBlockBytes - one.size(), '\0');
  EXPECT_EQ(read_all(unwritten + log_piece(1, "two")).records, Records({"one", "two"}));
}

TEST(LogRecords, DamageIsAnErrorUnlessItTearsTheTail) {
  const std::string one = log_piece(1, "one");
  const std::string file = one + log_piece(1, "two") + log_piece(1, std::string(300, 'c'));
  const Records whole = read_all(file).records;
  const auto check = [&](const std::string& damaged, const std::string& what) {
    const Read read = read_all(damaged);
    EXPECT_TRUE(read.failed || read.torn || read.records.size() + (damaged.size() < file.size() ? 3 : 0) >= 3)
        << what;
    for (std::size_t i = 0; i < read.records.size(); ++i) {
      EXPECT_EQ(read.records[i], whole[i]) << what;
    }
  };
  for_each_flip(file, check);
  for_each_cut(file, check);
  const std::string long_file = log_piece(1, std::string(20000, 'a')) +
                                log_piece(1, std::string(20000, 'b')).substr(0, 12000) +
                                std::string(30000, 'b');
  EXPECT_EQ(read_all(long_file).code,
            ErrorCode::kCorruption);  // a piece that would cross the end of its block
  EXPECT_EQ(read_all(log_piece(3, "x")).code, ErrorCode::kCorruption);
  EXPECT_EQ(read_all(log_piece(4, "x")).code, ErrorCode::kCorruption);
  EXPECT_EQ(read_all(log_piece(2, "x") + log_piece(1, "y")).code, ErrorCode::kCorruption);
}

TEST(LogRecords, ALogThatWasWrittenOverAnotherEndsWhereThatBegins) {
  const std::string mine = numbered(5, "one") + numbered(6, "tw") + numbered(7, "") + numbered(8, "o");
  EXPECT_EQ(read_all(mine).records, Records({"one", "two"}));
  const Read old = read_all(mine + numbered(5, "old", 6));
  EXPECT_EQ(old.records, Records({"one", "two"}));
  EXPECT_FALSE(old.failed || old.torn);
  std::string damaged = numbered(5, "three");
  damaged[12] ^= 1;
  const Read cut = read_all(mine + damaged + numbered(5, "old", 6));
  EXPECT_FALSE(cut.failed);
  EXPECT_TRUE(cut.torn);
  EXPECT_EQ(cut.records.size(), 2u);
}

// RocksDB's option wal_compression: each record is a frame of zstd, and its pieces are cut from the frame.
TEST(LogRecords, RecordsOfACompressedLogAreFramesOfZstd) {
  const std::string begin = log_piece(9, little_bytes(std::uint32_t{7}));
  const std::string long_record(100'000, 'x');
  const std::string frame = zstd_frame_of(long_record);
  const std::string half = frame.substr(0, frame.size() / 2);
  const std::string whole = begin + log_piece(1, zstd_frame_of("one")) + log_piece(1, zstd_frame_of("")) +
                            log_piece(2, half) + log_piece(4, frame.substr(half.size()));
  EXPECT_EQ(read_all(whole).records, Records({"one", "", long_record}));
  EXPECT_FALSE(read_all(whole).torn);
  const Read torn = read_all(begin + log_piece(1, zstd_frame_of("one")) + log_piece(2, half));
  EXPECT_EQ(torn.records, Records({"one"}));
  EXPECT_TRUE(torn.torn);
  EXPECT_EQ(read_all(begin + log_piece(1, "one")).code, ErrorCode::kCorruption);
  EXPECT_EQ(read_all(begin + log_piece(1, half)).code, ErrorCode::kCorruption);
  // A frame that says it has 1 GiB.
  const std::string bomb = "\x28\xb5\x2f\xfd\xa0" + std::string("\0\0\0\x40", 4) + std::string(20'000, '\0');
  EXPECT_EQ(read_all(begin + log_piece(1, bomb)).code, ErrorCode::kCapacity);
}

TEST(LogRecords, OtherTypes) {
  const std::string one = log_piece(1, "one");
  EXPECT_EQ(read_all(log_piece(9, little_bytes(std::uint32_t{4})) + one).code, ErrorCode::kUnsupported);
  EXPECT_EQ(read_all(log_piece(9, little_bytes(std::uint32_t{0})) + one).records.size(), 1u);
  EXPECT_EQ(read_all(log_piece(12, "") + one).code, ErrorCode::kUnsupported);
  EXPECT_EQ(read_all(log_piece(130, "abc") + numbered(131, "abc") + log_piece(200, "") + one).records.size(),
            1u);
  EXPECT_EQ(read_all(log_piece(10, "abc")).code, ErrorCode::kCorruption);
  const std::string sizes = little_bytes(std::uint32_t{3}) + little_bytes(std::uint16_t{8});
  const std::string file = log_piece(10, sizes) + one;
  LogRecords log(bytes_of(file), kNumber, "log");
  ASSERT_TRUE(log.next().value());
  EXPECT_EQ(log.timestamp_bytes().at(3), 8);
  EXPECT_EQ(log.offset(), file.size() - one.size());
}

}  // namespace
}  // namespace bloomery::sstable
