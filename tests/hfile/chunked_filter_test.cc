// A filter answers alike however its chunks are read: whole each time, run by run, from a cache, or kept. Run
// by run it reads less, and what changed on disk is noticed.
#include "hfile/chunked_filter.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/open_file.h"
#include "hfile/reader_access.h"
#include "tests/hfile/memory_files.h"
#include "tests/hfile/opened.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

constexpr int kChunkedRows = 30'000;
constexpr std::size_t kLeastBehind = 80;  // more than a chunk's checksums have

std::string chunked_row(int number) {
  const std::string digits = std::to_string(number);
  return "row-" + std::string(7 - digits.size(), '0') + digits;
}

// A file of the even rows. Its filter has chunks of 16 KiB, and each has runs of 1 KiB.
const std::string& file() {
  static const std::string bytes = [] {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("chunked-filter-" + std::to_string(::getpid()))).string();
    HFileWriteOptions options;
    options.may_replace = true;
    options.bytes_per_checksum = 1024;
    options.bloom.type = hfile::BloomType::kRow;
    options.bloom.chunk_bytes = 16384;
    std::vector<OwnedCell> cells;
    cells.reserve(kChunkedRows);
    for (int i = 0; i < kChunkedRows; ++i) {
      cells.push_back(
          {.row = chunked_row(2 * i), .family = "f", .qualifier = "q", .timestamp = 1, .value = "v"});
    }
    const Status written = write_cells(path, options, cells);
    EXPECT_TRUE(written) << written.error().to_string();
    std::string content = file_bytes(path);
    std::filesystem::remove(path);
    return content;
  }();
  return bytes;
}

HFileReader open(MemoryFiles& files, const HFileOptions& options = {}) {
  auto reader = open_in(files, "f", options);
  EXPECT_TRUE(reader) << reader.error().to_string();
  return std::move(reader).value();
}

class PassingOn final : public hfile::BlockSource {
 public:
  explicit PassingOn(hfile::BlockSource& disk) : disk_(disk) {}

 private:
  Result<hfile::BlockPointer> fetch(const hfile::BlockAddress& address,
                                    hfile::ReadAhead* /*ahead*/) override {
    return disk_.read(address);
  }

  hfile::BlockSource& disk_;
};

TEST(ChunkedFilter, AnswersAlikeHoweverItsChunksAreRead) {
  MemoryFiles files(file());
  const auto passed_on =
      hfile::OpenFile::open("f", {}, {.files = &files, .between = [](hfile::BlockSource& disk) {
                                        return std::make_unique<PassingOn>(disk);
                                      }});
  ASSERT_TRUE(passed_on);
  HFileOptions cached;
  cached.cache_bytes = 1 << 20;
  HFileOptions kept;
  kept.keep_bloom_chunks = true;
  const HFileReader each_time = hfile::ReaderAccess::reader_of(*passed_on);
  const std::vector<HFileReader> others = {open(files), open(files, cached), open(files, kept)};
  int positives = 0;
  for (int i = 0; i < 2 * kChunkedRows; ++i) {
    const std::string row = chunked_row(i);
    const bool answer = each_time.may_contain_row(row);
    EXPECT_TRUE(answer || i % 2 != 0) << row;
    positives += answer && i % 2 != 0 ? 1 : 0;
    for (const HFileReader& other : others) {
      ASSERT_EQ(other.may_contain_row(row), answer) << row;
    }
  }
  EXPECT_GT(positives, 0) << "no false positive: the bits were not compared";
  EXPECT_EQ(others[0].counters().damaged_bloom_answers, 0U);
  EXPECT_EQ(others[0].counters().bloom_chunks, each_time.counters().bloom_chunks);
  EXPECT_LT(others[0].counters().bytes_read, each_time.counters().bytes_read / 3);
  const std::uint64_t chunks = each_time.facts().bloom->chunk_count;
  EXPECT_GT(chunks, 2U);
  EXPECT_EQ(others[1].counters().bloom_chunks, chunks);
  EXPECT_EQ(others[2].counters().bloom_chunks, chunks);
}

// A no is certain also when the chunk is damaged after it was read whole: the run that has the damage is
// refused.
TEST(ChunkedFilter, DamageAfterTheFirstReadIsAMaybeAndCounted) {
  std::string bytes = file();
  MemoryFiles files(bytes);
  const HFileReader reader = open(files);
  for (int i = 0; i < kChunkedRows; ++i) {
    ASSERT_TRUE(reader.may_contain_row(chunked_row(2 * i)));
  }
  ASSERT_EQ(reader.counters().damaged_bloom_answers, 0U);
  const auto opened = hfile::OpenFile::open("f", {}, {.files = &files});
  ASSERT_TRUE(opened);
  for (const hbase::ChunkEntry& chunk : (*opened)->bloom()->meta().chunks) {
    for (std::size_t at = 0; at + kLeastBehind < chunk.block_bytes; at += 512) {
      bytes[chunk.block_offset + at] = static_cast<char>(~bytes[chunk.block_offset + at]);
    }
  }
  files.replace(bytes);
  for (int i = 0; i < kChunkedRows; ++i) {
    ASSERT_TRUE(reader.may_contain_row(chunked_row(2 * i))) << "a wrong no";
  }
  EXPECT_EQ(reader.counters().damaged_bloom_answers, static_cast<std::uint64_t>(kChunkedRows));
}

}  // namespace
}  // namespace bloomery
