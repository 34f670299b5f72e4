// The range that heads give holds every row that is equal, and rows outside it are on the side that it says.
#include "hfile/row_heads.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery::hfile {
namespace {

constexpr std::uint64_t kHeadsSeed = 20261122;

template <typename Head>
RowHeads<Head> heads_of(const std::vector<std::string>& rows) {
  const std::string_view shared = rows.empty() ? "" : common_front(rows.front(), rows.back());
  return RowHeads<Head>(rows.size(), shared, [&](std::size_t i) { return std::string_view(rows[i]); });
}

template <typename Head>
void check(const std::vector<std::string>& rows, const std::vector<std::string>& asked) {
  const RowHeads<Head> heads = heads_of<Head>(rows);
  ASSERT_EQ(heads.size(), rows.size());
  for (const std::string& row : asked) {
    const RowRange range = heads.find(row);
    ASSERT_LE(range.begin, range.end);
    ASSERT_LE(range.end, rows.size());
    for (std::size_t i = 0; i < range.begin; ++i) {
      ASSERT_LT(rows[i], row) << i;
    }
    for (std::size_t i = range.end; i < rows.size(); ++i) {
      ASSERT_GT(rows[i], row) << i;
    }
  }
}

void check_both(std::vector<std::string> rows, const std::vector<std::string>& asked) {
  std::ranges::sort(rows);
  check<std::uint32_t>(rows, asked);
  check<std::uint64_t>(rows, asked);
}

// Few different bytes, so that many rows begin alike, end early, have zeros, or are equal.
TEST(RowHeads, EveryRowOutsideTheRangeIsOnItsSide) {
  RecordProperty("seed", std::to_string(kHeadsSeed));
  std::mt19937_64 random(kHeadsSeed);
  for (const std::size_t count : {0U, 1U, 2U, 15U, 16U, 17U, 33U, 300U}) {
    for (const std::size_t longest : {0U, 2U, 5U, 12U}) {
      for (const char* const front : {"", "row-", "a front that is longer than any head"}) {
        const auto random_row = [&] {
          std::string row(random() % (longest + 1), '\0');
          std::ranges::generate(row, [&] { return "\0\1a\xff"[random() % 4]; });
          return front + row;
        };
        std::vector<std::string> rows(count);
        std::ranges::generate(rows, random_row);
        std::vector<std::string> asked = rows;
        for (int i = 0; i < 50; ++i) {
          asked.push_back(random_row());
          asked.push_back(asked.back().substr(0, random() % (asked.back().size() + 1)));
          asked.push_back(asked.back() + '\xff');
        }
        check_both(rows, asked);
      }
    }
  }
}

// The largest head has none behind it that one could look for.
TEST(RowHeads, ManyEqualRowsAreOneRange) {
  for (const std::string& row : {std::string("r"), std::string("r\xff\xff\xff\xff\xff\xff\xff\xff\xff")}) {
    std::vector<std::string> rows(100, row);
    rows.insert(rows.begin(), "ra");
    std::ranges::sort(rows);
    const auto heads = heads_of<std::uint64_t>(rows);
    const RowRange range = heads.find(row);
    EXPECT_EQ(range.end - range.begin, 100U);
    check_both(rows, {row, "r", "ra", "rb", "q", "s", ""});
  }
}

TEST(RowHeads, RowsThatDifferEarlyAreToldApart) {
  std::vector<std::string> rows;
  for (int i = 1000; i < 2000; ++i) {
    rows.push_back("row-" + std::to_string(i) + "-and more");
  }
  const auto heads = heads_of<std::uint32_t>(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowRange range = heads.find(rows[i]);
    EXPECT_EQ(range.begin, i);
    EXPECT_EQ(range.end, i + 1);
  }
}

}  // namespace
}  // namespace bloomery::hfile
