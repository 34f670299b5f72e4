// How full a Bloom filter of several chunks is: all of its chunks count.
#include "hfile/bloom_fill.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hfile/chunk_keeper.h"
#include "hfile/recognition.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

// A file of 5,000 rows with a filter of rows, in chunks of 1 KiB.
class ChunkedFile : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<OwnedCell> cells;
    for (int i = 0; i < 5000; ++i) {
      cells.push_back(
          {.row = "row-" + std::to_string(10000 + i), .family = "f", .qualifier = "q", .value = "v"});
    }
    const Status written =
        write_cells(path_, {.bloom = {.type = hfile::BloomType::kRow, .chunk_bytes = 1024}}, cells);
    ASSERT_TRUE(written) << written.error().to_string();
  }

  TestFolder folder_;
  std::string path_ = folder_.path("f.hfile");
};

TEST_F(ChunkedFile, EveryChunkCounts) {
  const auto file = hfile::open_hfile(path_, hfile::ChunkKeeper::surroundings());
  ASSERT_TRUE(file) << file.error().to_string();
  const hfile::ChunkedFilter& filter = *(*file)->bloom();
  ASSERT_GT(filter.meta().chunks.size(), 3u);
  const auto fill = hfile::measure_fill(**file, filter);
  ASSERT_TRUE(fill) << fill.error().to_string();
  EXPECT_EQ(fill->bits, filter.meta().total_bytes * 8);
  EXPECT_GT(fill->ratio(), 0.3);
  EXPECT_LT(fill->ratio(), 0.6);
  EXPECT_NEAR(fill->fpp, 0.01, 0.005);
}

TEST_F(ChunkedFile, AKeptChunkIsReadOnce) {
  const auto file = hfile::open_hfile(path_, hfile::ChunkKeeper::surroundings());
  ASSERT_TRUE(file) << file.error().to_string();
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5000; i += 50) {
      EXPECT_TRUE((*file)->may_contain_row("row-" + std::to_string(10000 + i)));
    }
  }
  EXPECT_EQ((*file)->counters().bloom_chunks, (*file)->bloom()->meta().chunks.size());
}

}  // namespace
}  // namespace bloomery
