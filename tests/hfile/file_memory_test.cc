// What a reader keeps of an HFile is within HFileOptions::memory: what can be left out is left out, what cannot is
// an error that names the part.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/open_file.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kKiB = 1024;

class FileMemoryOfHFile : public ::testing::Test {
 protected:
  // 4,000 rows.
  std::string write(const HFileWriteOptions& options) {
    for (int i = 0; i < 4000; ++i) {
      cells.push_back({.row = "row-" + std::to_string(10000 + i), .family = "f", .value = "v"});
    }
    const Status written = write_cells(folder.path("file"), options, cells);
    EXPECT_TRUE(written) << written.error().to_string();
    return folder.path("file");
  }

  TestFolder folder;
  std::vector<OwnedCell> cells;
};

// Once only the keys of an encoded block were counted, not the list of its cells, and nothing of a plain one.
TEST_F(FileMemoryOfHFile, GoingBackCountsTheCellsOfABlock) {
  for (const auto encoding : {hfile::DataEncoding::kNone, hfile::DataEncoding::kDiff}) {
    cells.clear();
    HFileWriteOptions options;
    options.may_replace = true;
    options.block_bytes = 1 << 20;  // all cells are in one
    options.encoding = encoding;
    const std::string path = write(options);
    const auto reader = HFileReader::open(path, {.memory = {.limit_bytes = 400 * kKiB}});
    ASSERT_TRUE(reader) << reader.error().to_string();
    EXPECT_EQ(cells_of(*reader), cells) << "forward, nothing is kept";
    HFileScanner scanner = reader->scan();
    const Result<bool> last = scanner.seek_to_last();
    ASSERT_FALSE(last);
    EXPECT_EQ(last.error().code(), ErrorCode::kCapacity);
    EXPECT_EQ(last.error().subject(), path + ": list of a block's cells, to go back through");
    const auto enough = HFileReader::open(path, {.memory = {.limit_bytes = 2000 * kKiB}});
    ASSERT_TRUE(enough);
    EXPECT_TRUE(enough->scan().seek_to_last().value());
  }
}

TEST_F(FileMemoryOfHFile, ACacheAndKeptChunksGiveWay) {
  HFileWriteOptions options;
  options.block_bytes = 2000;
  options.bloom.type = hbase::BloomType::kRow;
  options.bloom.chunk_bytes = 512;
  options.bloom.max_fold = 0;
  const std::string path = write(options);
  const auto reader = HFileReader::open(
      path, {.cache_bytes = kKiB * kKiB, .keep_bloom_chunks = true, .memory = {.limit_bytes = 60 * kKiB}});
  ASSERT_TRUE(reader) << reader.error().to_string();
  for (const OwnedCell& cell : cells) {
    EXPECT_TRUE(reader->may_contain_row(cell.row));
    EXPECT_TRUE(reader->scan().seek(cell.key()).value());
  }
  EXPECT_EQ(reader->counters().damaged_bloom_answers, 0u);
}

TEST_F(FileMemoryOfHFile, AllIsGivenBack) {
  HFileWriteOptions options;
  options.block_bytes = 2000;
  const auto file = hfile::OpenFile::open(write(options), {.cache_bytes = kKiB * kKiB});
  ASSERT_TRUE(file);
  const std::uint64_t open = (*file)->memory()->used();
  EXPECT_GT(open, 0u);
  EXPECT_LT(open, 100 * kKiB);
  {
    const auto block =
        (*file)->source().read({.kind = hfile::BlockKind::kData,
                                .offset = (*file)->index().root.entries.front().offset,
                                .on_disk_bytes = (*file)->index().root.entries.front().on_disk_bytes});
    ASSERT_TRUE(block);
    EXPECT_GT((*file)->memory()->used(), open + 1000);
  }
  (*file)->source().forget();
  EXPECT_EQ((*file)->memory()->used(), open);
  EXPECT_EQ((*file)->memory()->limit(), (std::uint64_t{256} << 20) + kKiB * kKiB);
}

TEST_F(FileMemoryOfHFile, TheErrorNamesFilePartAndLimit) {
  const auto reader = HFileReader::open(write({}), {.memory = {.limit_bytes = kKiB}});
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code(), ErrorCode::kCapacity);
  EXPECT_NE(reader.error().to_string().find(folder.path("file") + ": "), std::string::npos);
  EXPECT_NE(reader.error().to_string().find("limit is 1024"), std::string::npos)
      << reader.error().to_string();
}

}  // namespace
}  // namespace bloomery
