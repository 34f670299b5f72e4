// Suggested splits: ascending rows that cut the bytes into pieces of about the same size.
#include "bloomery/table/split_advice.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_writer.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/golden.h"
#include "tests/hfile/written.h"
#include "tests/table/hbase_set.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kSplitSeed = 20261123;

// Writes a file of random rows, whose values are as large as `bytes_of(row number)`.
template <typename BytesOf>
void write_file(const std::string& path, std::uint64_t seed, const BytesOf& bytes_of) {
  std::mt19937_64 random(seed);
  std::vector<OwnedCell> cells;
  for (int i = 0; i < 3000; ++i) {
    const auto number = static_cast<int>(random() % 1'000'000);
    std::string value(bytes_of(number), '\0');
    std::ranges::generate(value, [&random] { return static_cast<char>(random()); });
    cells.push_back({.row = std::to_string(1'000'000 + number),
                     .family = "f",
                     .qualifier = "q",
                     .timestamp = i,
                     .value = std::move(value)});
  }
  std::ranges::sort(cells, [](const OwnedCell& a, const OwnedCell& b) { return a.key() < b.key(); });
  HFileWriteOptions options;
  options.block_bytes = 1024;
  ASSERT_TRUE(write_cells(path, options, cells));
}

void expect_sound(const SplitAdvice& advice) {
  EXPECT_EQ(advice.region_bytes.size(), advice.keys.size() + 1);
  EXPECT_TRUE(std::ranges::is_sorted(advice.keys, std::less_equal<>())) << "each after the one before";
  EXPECT_TRUE(advice.keys.empty() || !advice.keys.front().empty());
}

TEST(SplitAdvice, RegionsAreAlikeButForABlockOfEachFile) {
  const TestFolder folder;
  std::vector<std::string> files;
  for (std::uint64_t i = 0; i < 4; ++i) {
    files.push_back(folder.path(std::to_string(i)));
    // Rows that begin with 10 have values that are ten times as large.
    write_file(files.back(), kSplitSeed + i, [](int number) { return number < 100'000 ? 500u : 50u; });
  }
  const auto table = Table::open_files(files);
  ASSERT_TRUE(table) << table.error().to_string();
  constexpr std::uint64_t kBlock = 2048;  // a block ends behind the cell that makes it full
  for (const std::uint64_t regions : {1u, 2u, 3u, 7u, 16u, 50u}) {
    SCOPED_TRACE(regions);
    const auto advice = advise_splits(*table, {.regions = regions});
    ASSERT_TRUE(advice) << advice.error().to_string();
    expect_sound(*advice);
    ASSERT_EQ(advice->region_bytes.size(), regions);
    const std::uint64_t all =
        std::accumulate(advice->region_bytes.begin(), advice->region_bytes.end(), std::uint64_t{0});
    for (const std::uint64_t bytes : advice->region_bytes) {
      EXPECT_NEAR(static_cast<double>(bytes), static_cast<double>(all) / static_cast<double>(regions),
                  static_cast<double>(files.size() * kBlock));
    }
    const auto by_bytes = advise_splits(*table, {.region_bytes = (all + regions - 1) / regions});
    ASSERT_TRUE(by_bytes);
    EXPECT_EQ(by_bytes->keys, advice->keys);
  }
}

// Many flushed files of one block each, all of which begin near the first row. Their rows count where they are.
TEST(SplitAdvice, ManySmallFilesAreCutWhereTheirRowsAre) {
  const TestFolder folder;
  std::vector<std::string> files;
  std::vector<std::string> rows;
  std::mt19937_64 random(kSplitSeed);
  for (int file = 0; file < 50; ++file) {
    std::vector<OwnedCell> cells;
    for (int i = 0; i < 100; ++i) {
      cells.push_back({.row = std::to_string(1'000'000 + random() % 1'000'000),
                       .family = "f",
                       .qualifier = "q",
                       .timestamp = file,
                       .value = "value"});
      rows.push_back(cells.back().row);
    }
    std::ranges::sort(cells, [](const OwnedCell& a, const OwnedCell& b) { return a.key() < b.key(); });
    files.push_back(folder.path(std::to_string(file)));
    ASSERT_TRUE(write_cells(files.back(), {}, cells));
  }
  const auto table = Table::open_files(files);
  ASSERT_TRUE(table) << table.error().to_string();
  const auto advice = advise_splits(*table, {.regions = 4});
  ASSERT_TRUE(advice) << advice.error().to_string();
  expect_sound(*advice);
  ASSERT_EQ(advice->keys.size(), 3u);
  std::ranges::sort(rows);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto before = std::ranges::lower_bound(rows, advice->keys[i]) - rows.begin();
    EXPECT_NEAR(static_cast<double>(before) / static_cast<double>(rows.size()),
                0.25 * static_cast<double>(i + 1), 0.02);
  }
}

TEST(SplitAdvice, MoreRegionsThanBlocksAreNotInvented) {
  const auto table = Table::open_files({hbase_golden("bloom_row.hfile")});
  ASSERT_TRUE(table);
  const auto advice = advise_splits(*table, {.regions = 10'000});
  ASSERT_TRUE(advice) << advice.error().to_string();
  expect_sound(*advice);
  EXPECT_LT(advice->keys.size(), 10'000u);
  EXPECT_TRUE(std::ranges::none_of(advice->region_bytes, [](std::uint64_t bytes) { return bytes == 0; }));
}

TEST(SplitAdvice, ATableWithoutCellsIsOneRegion) {
  const auto table = Table::open_files({hbase_golden("codec_lz4_air_empty.hfile")});
  ASSERT_TRUE(table) << table.error().to_string();
  const auto advice = advise_splits(*table, {.region_bytes = 1});
  ASSERT_TRUE(advice) << advice.error().to_string();
  EXPECT_TRUE(advice->keys.empty());
}

TEST(SplitAdvice, HalvesCountOnTheirOwnSide) {
  const HBaseSet set("root/data/default/halves");
  const auto table = Table::open_table(set.root(), "halves");
  ASSERT_TRUE(table);
  const auto advice = advise_splits(*table, {.regions = 5});
  ASSERT_TRUE(advice) << advice.error().to_string();
  expect_sound(*advice);
}

TEST(SplitAdvice, WishesThatCannotBeAreRefused) {
  const auto table = Table::open_files({hbase_golden("bloom_row.hfile")});
  ASSERT_TRUE(table);
  for (const SplitWish wish : {SplitWish{}, SplitWish{.regions = 65'537}}) {
    const auto advice = advise_splits(*table, wish);
    ASSERT_FALSE(advice);
    EXPECT_EQ(advice.error().code(), ErrorCode::kInvalidArgument);
  }
}

// More places than are remembered: neighbours are joined, and the pieces stay alike.
TEST(SplitAdvice, ManyBlocksAreRememberedInPart) {
  const TestFolder folder;
  std::vector<OwnedCell> cells;
  cells.reserve(300'000);
  for (int i = 0; i < 300'000; ++i) {
    cells.push_back({.row = std::to_string(1'000'000 + i), .family = "f", .qualifier = "q", .timestamp = 1});
  }
  HFileWriteOptions options;
  options.block_bytes = 16;  // a block a cell
  ASSERT_TRUE(write_cells(folder.path("many"), options, cells));
  const auto table = Table::open_files({folder.path("many")});
  ASSERT_TRUE(table) << table.error().to_string();
  const auto advice = advise_splits(*table, {.regions = 8});
  ASSERT_TRUE(advice) << advice.error().to_string();
  expect_sound(*advice);
  ASSERT_EQ(advice->region_bytes.size(), 8u);
  const auto [least, most] = std::ranges::minmax(advice->region_bytes);
  EXPECT_LT(static_cast<double>(most), 1.001 * static_cast<double>(least));
}

}  // namespace
}  // namespace bloomery
