#include "table/read/row_tournament.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery::table {
namespace {

// Sources of rows, which are compared by their numbers at the same row.
struct Lists {
  std::optional<std::string_view> row_of(std::size_t source) const {
    return at[source] < rows[source].size() ? std::optional<std::string_view>(rows[source][at[source]])
                                            : std::nullopt;
  }
  bool comes_first(std::size_t a, std::size_t b) const { return a > b; }

  // The plain answer: the first of all, one by one.
  std::optional<std::size_t> first(bool is_reversed) const {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = row_of(i);
      const auto best = first ? row_of(*first) : std::nullopt;
      if (row && (!best || (is_reversed ? *row > *best : *row < *best) ||
                  (*row == *best && comes_first(i, *first)))) {
        first = i;
      }
    }
    return first;
  }

  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> at;
};

// Rows of a few letters, with many common fronts, zeros at their ends, and lengths about those of words.
std::string random_word_row(std::mt19937_64& random) {
  constexpr std::string_view kLetters("\0\0a\x7f\x80\xff", 6);
  std::string row(random() % 3 * 8 + random() % 3, 'r');
  for (std::size_t i = random() % 10; i > 0; --i) {
    row += kLetters[random() % kLetters.size()];
  }
  return row;
}

Lists random_lists(std::mt19937_64& random, bool is_reversed) {
  Lists lists;
  lists.rows.resize(1 + random() % 9);
  lists.at.resize(lists.rows.size());
  for (auto& rows : lists.rows) {
    for (std::size_t i = random() % 40; i > 0; --i) {
      rows.push_back(random() % 4 == 0 && !rows.empty() ? rows.back() : random_word_row(random));
    }
    std::ranges::sort(rows);
    if (is_reversed) {
      std::ranges::reverse(rows);
    }
  }
  return lists;
}

// Moves all sources to their ends, and looks at the first one and the number of its row after each step.
void check_all(Lists lists, bool is_reversed, std::mt19937_64& random) {
  RowTournament tournament(is_reversed);
  tournament.start(lists.rows.size(), lists);
  std::optional<std::string> row;
  std::uint64_t number = 0;
  while (const auto expected = lists.first(is_reversed)) {
    ASSERT_FALSE(tournament.is_at_end());
    ASSERT_EQ(tournament.first(), *expected);
    const std::string found(*lists.row_of(*expected));
    if (row) {
      ASSERT_EQ(found == *row, tournament.row_number() == number);
    }
    row = found;
    number = tournament.row_number();
    std::size_t& at = lists.at[*expected];
    at = std::min<std::size_t>(lists.rows[*expected].size(), at + 1 + (random() % 8 == 0 ? random() % 5 : 0));
    tournament.move_first(lists);
  }
  EXPECT_TRUE(tournament.is_at_end());
}

TEST(RowTournament, FindsTheFirstAsOneByOneComparisonDoes) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 3000; ++i) {
    const bool is_reversed = random() % 2 == 0;
    check_all(random_lists(random, is_reversed), is_reversed, random);
    ASSERT_FALSE(HasFatalFailure());
  }
}

// A file whose rows do not ascend is damaged. The first of all is still the first.
TEST(RowTournament, FindsTheFirstIfSourcesGoBack) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 3000; ++i) {
    const bool is_reversed = random() % 2 == 0;
    Lists lists = random_lists(random, is_reversed);
    for (auto& rows : lists.rows) {
      std::ranges::shuffle(rows, random);
    }
    check_all(std::move(lists), is_reversed, random);
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(RowTournament, HasNoFirstWithoutRows) {
  RowTournament tournament(false);
  EXPECT_TRUE(tournament.is_at_end());
  const Lists none{.rows = {{}, {}}, .at = {0, 0}};
  tournament.start(2, none);
  EXPECT_TRUE(tournament.is_at_end());
  tournament.start(0, none);
  EXPECT_TRUE(tournament.is_at_end());
}

}  // namespace
}  // namespace bloomery::table
