// The order of hbase:meta: as HBase's own comparator has it, and files that HBase wrote in it.
#include "bloomery/hfile/row_order.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_reader.h"
#include "tests/hfile/golden.h"

namespace bloomery {
namespace {

std::string edge(const std::string& name) {
  return "edges/" + name;
}

// 300 rows, with commas and bytes below and above the comma in start keys.
TEST(RowOrder, IsThatOfHBasesComparator) {
  std::vector<std::string> rows;
  for (const std::string& line : golden_lines(edge("meta_order.txt"))) {
    rows.push_back(unescaped(line));
  }
  ASSERT_EQ(rows.size(), 300u);
  std::size_t otherwise_in_bytes = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      ASSERT_EQ(compare_meta_rows(rows[i], rows[j]), i <=> j) << escaped(rows[i]) << " " << escaped(rows[j]);
      ASSERT_EQ(compare_rows(RowOrder::kBytes, rows[i], rows[j]), rows[i] <=> rows[j]);
      otherwise_in_bytes += i < j && rows[i] > rows[j] ? 1u : 0u;
    }
  }
  EXPECT_GT(otherwise_in_bytes, 1000u);
}

// A part that is missing comes before all others, also before an empty one.
TEST(RowOrder, PartsThatAreMissingComeFirst) {
  const std::vector<std::string> rows = {"",     ",",   ",,",   "t",     "t,",     "t,,",
                                         "t,,1", "t,a", "t,a,", "t,a,1", "t,a,b,1"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      EXPECT_EQ(compare_meta_rows(rows[i], rows[j]), i <=> j) << rows[i] << " " << rows[j];
    }
  }
}

TEST(RowOrder, KeysOfARowAreTheSameInBothOrders) {
  const CellKey older{"t,,1", "f", "q", 1, CellType::kPut};
  const CellKey newer{"t,,1", "f", "q", 2, CellType::kPut};
  const CellKey other{"t,,1", "f", "r", 2, CellType::kPut};
  for (const RowOrder order : {RowOrder::kBytes, RowOrder::kMeta}) {
    EXPECT_TRUE(std::is_lt(compare_keys(order, newer, older)));
    EXPECT_TRUE(std::is_lt(compare_keys(order, older, other)));
    EXPECT_TRUE(std::is_eq(compare_keys(order, other, other)));
    EXPECT_TRUE(std::is_gt(compare_keys(order, last_on_row("t,,1"), other)));
  }
  const CellKey low{.row = std::string_view("t,\0,1", 5)};
  EXPECT_TRUE(std::is_lt(compare_keys(RowOrder::kBytes, low, older)));
  EXPECT_TRUE(std::is_gt(compare_keys(RowOrder::kMeta, low, older)));
}

// Files of plain cells, of a row index and of an encoding; with and without a cache, which seeks otherwise.
class MetaFiles : public ::testing::TestWithParam<const char*> {
 protected:
  static HFileReader opened(std::uint64_t cache_bytes) {
    auto reader = HFileReader::open(hbase_golden(edge(std::string("meta_") + GetParam() + ".hfile")),
                                    {.cache_bytes = cache_bytes});
    EXPECT_TRUE(reader) << reader.error().to_string();
    return *std::move(reader);
  }
};

TEST_P(MetaFiles, HaveTheCellsThatHBaseLists) {
  const HFileReader reader = opened(0);
  EXPECT_EQ(reader.facts().row_order, RowOrder::kMeta);
  EXPECT_GE(reader.facts().index_levels, 2u);
  EXPECT_EQ(scanned(reader), golden_lines(edge("meta.cells")));
}

TEST_P(MetaFiles, EveryRowIsFound) {
  for (const std::uint64_t cache : {std::uint64_t{0}, std::uint64_t{1} << 20}) {
    const HFileReader reader = opened(cache);
    const std::vector<std::string> lines = golden_lines(edge("meta.cells"));
    for (int round = 0; round < 2; ++round) {  // in the second one the blocks are in the cache
      HFileScanner scanner = reader.scan();
      std::string before;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::vector<std::string> fields = fields_of(lines[i]);
        const std::string row = unescaped(fields[0]);
        EXPECT_TRUE(reader.may_contain_row(row)) << fields[0];
        EXPECT_TRUE(reader.may_contain_column(row, unescaped(fields[2]))) << lines[i];
        if (fields[0] == before) {
          continue;
        }
        before = fields[0];
        auto found = scanner.seek(first_on_row(row));
        ASSERT_TRUE(found && *found) << lines[i];
        EXPECT_EQ(line_of(scanner.cell()), lines[i]);
        found = scanner.seek_before(first_on_row(row));
        ASSERT_TRUE(found);
        EXPECT_EQ(*found, i != 0);
        if (*found) {
          EXPECT_EQ(line_of(scanner.cell()), lines[i - 1]);
        }
      }
    }
  }
}

// Rows that are not there: the seek ends at the next one in the order of hbase:meta.
TEST_P(MetaFiles, ASeekEndsAtTheNextRow) {
  const HFileReader reader = opened(0);
  const std::vector<std::string> lines = golden_lines(edge("meta.cells"));
  HFileScanner scanner = reader.scan();
  for (const std::string& escaped_row : golden_lines(edge("meta_order.txt"))) {
    const std::string row = unescaped(escaped_row);
    const auto next = std::ranges::find_if(lines, [&](const std::string& line) {
      return std::is_gteq(compare_meta_rows(unescaped(fields_of(line)[0]), row));
    });
    const auto found = scanner.seek(first_on_row(row));
    ASSERT_TRUE(found) << escaped_row;
    ASSERT_EQ(*found, next != lines.end()) << escaped_row;
    if (*found) {
      EXPECT_EQ(line_of(scanner.cell()), *next) << escaped_row;
    }
  }
}

// A no is certain, and there are some: the filters are asked in the order in which their keys were added.
TEST_P(MetaFiles, FiltersSayNo) {
  const HFileReader reader = opened(0);
  std::size_t denied = 0;
  for (const std::string& row : golden_lines(edge("meta_order.txt"))) {
    denied += reader.may_contain_column(unescaped(row), "none") ? 0u : 1u;
  }
  if (reader.facts().bloom_type == "NONE") {
    EXPECT_EQ(denied, 0u);
  } else {
    EXPECT_GT(reader.facts().bloom->chunk_count, 1u);
    EXPECT_GT(denied, 100u);
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, MetaFiles, ::testing::Values("none", "row_index", "fast_diff"));

}  // namespace
}  // namespace bloomery
