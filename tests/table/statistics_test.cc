// The statistics of a table beside those that HBase's own tool prints, and beside a plain count.
#include "bloomery/table/statistics.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "table/size_histogram.h"
#include "tests/hfile/golden.h"
#include "tests/hfile/written.h"
#include "tests/table/hbase_set.h"

namespace bloomery {
namespace {

// A line of tests/golden/hbase/statistics.tsv.
struct Golden {
  std::string file;
  std::string what;
  std::uint64_t count;
  std::uint64_t least;
  std::uint64_t most;
  double mean;
  double deviation;
};

std::vector<Golden> goldens() {
  std::ifstream file(hbase_golden("statistics.tsv"));
  std::vector<Golden> all;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with('#')) {
      std::istringstream words(line);
      Golden one;
      words >> one.file >> one.what >> one.count >> one.least >> one.most >> one.mean >> one.deviation;
      EXPECT_TRUE(words) << line;
      all.push_back(one);
    }
  }
  return all;
}

const SizeSpread& spread(const FamilyStatistics& family, const std::string& what) {
  return what == "last_key_bytes" ? family.last_key_bytes
         : what == "value_bytes"  ? family.value_bytes
         : what == "row_bytes"    ? family.row_bytes
                                  : family.row_cells;
}

// HBase prints two digits behind the point.
TEST(TableStatistics, AreThoseOfHBasesTool) {
  std::size_t compared = 0;
  std::map<std::string, std::vector<FamilyStatistics>> counted;
  for (const Golden& golden : goldens()) {
    SCOPED_TRACE(golden.file + " " + golden.what);
    auto found = counted.find(golden.file);
    if (found == counted.end()) {
      const auto table = Table::open_files({hbase_golden(golden.file)});
      const auto statistics = table ? table_statistics(*table) : table.error();
      if (!statistics && statistics.error().code() == ErrorCode::kUnsupported) {
        continue;  // LZO and the like
      }
      ASSERT_TRUE(statistics) << statistics.error().to_string();
      found = counted.emplace(golden.file, *statistics).first;
    }
    ASSERT_EQ(found->second.size(), 1u);
    const SizeSpread& ours = spread(found->second.front(), golden.what);
    EXPECT_EQ(ours.count, golden.count);
    EXPECT_EQ(ours.least, golden.least);
    EXPECT_EQ(ours.most, golden.most);
    EXPECT_NEAR(ours.mean, golden.mean, 0.0051);
    EXPECT_NEAR(ours.deviation, std::isnan(golden.deviation) ? 0 : golden.deviation, 0.0051);
    ++compared;
  }
  EXPECT_GT(compared, 300u);
}

// Both daughters of a split count their half of the parent's files: all cells once.
TEST(TableStatistics, HalvesCountTheRowsOfTheirRegion) {
  const HBaseSet set("root/data/default/halves");
  const auto table = Table::open_table(set.root(), "halves");
  ASSERT_TRUE(table);
  const auto statistics = table_statistics(*table);
  ASSERT_TRUE(statistics) << statistics.error().to_string();
  std::map<std::string, std::string> family_of;
  for (const TableRegion& region : table->regions()) {
    for (const TableFile& file : region.files) {
      family_of[file.path] = file.family;
    }
  }
  std::map<std::string, std::uint64_t> cells;
  for (const auto& [path, family] : family_of) {
    cells[family] += HFileReader::open(path)->facts().entry_count;
  }
  for (const FamilyStatistics& family : *statistics) {
    EXPECT_EQ(family.cells, cells[family.name]) << family.name;
    EXPECT_EQ(family.key_bytes.count, family.cells);
    EXPECT_GT(family.files, 0u);
  }
}

TEST(TableStatistics, DamageAndAWatchThatFailsEndTheCount) {
  const TestFolder folder;
  std::string bytes = file_bytes(hbase_golden("bloom_row.hfile"));
  bytes[100] = static_cast<char>(~bytes[100]);
  folder.write("damaged", bytes);
  const auto damaged = table_statistics(*Table::open_files({folder.path("damaged")}));
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code(), ErrorCode::kCorruption);
  EXPECT_NE(damaged.error().to_string().find(folder.path("damaged")), std::string::npos);
  const auto table = Table::open_files({hbase_golden("bloom_row.hfile")});
  const auto stopped = table_statistics(*table, {}, [](std::size_t file, std::size_t files) -> Status {
    EXPECT_EQ(file, 0u);
    EXPECT_EQ(files, 1u);
    return Error::invalid_argument("watch", "enough");
  });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().subject(), "watch");
}

TEST(SizeHistogram, QuantilesAreThoseOfTheSortedSizesOrLittleAbove) {
  constexpr std::uint64_t kSeed = 20261123;
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " + std::to_string(round));
    std::vector<std::uint64_t> sizes(1 + random() % 2000);
    const unsigned bits = 1 + static_cast<unsigned>(random() % 64);
    table::SizeHistogram histogram;
    for (std::uint64_t& size : sizes) {
      size = random() >> (64 - bits) >> (random() % bits);
      histogram.add(size);
    }
    std::ranges::sort(sizes);
    EXPECT_EQ(histogram.count(), sizes.size());
    EXPECT_EQ(histogram.least(), sizes.front());
    EXPECT_EQ(histogram.most(), sizes.back());
    for (const double share : {0.001, 0.25, 0.5, 0.75, 0.99, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sizes.size())));
      const std::uint64_t exact = sizes[std::max<std::size_t>(rank, 1) - 1];
      EXPECT_GE(histogram.quantile(share), exact);
      EXPECT_LE(histogram.quantile(share) - exact, exact / 128) << share;
    }
  }
}

TEST(SizeHistogram, NothingCountedIsAllZero) {
  const table::SizeHistogram histogram;
  EXPECT_EQ(histogram.least(), 0u);
  EXPECT_EQ(histogram.most(), 0u);
  EXPECT_EQ(histogram.mean(), 0);
  EXPECT_EQ(histogram.deviation(), 0);
  EXPECT_EQ(histogram.quantile(0.5), 0u);
}

}  // namespace
}  // namespace bloomery
