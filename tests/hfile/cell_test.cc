// Keys of cells: their flat form, their order, and the keys to seek by.
#include "bloomery/hfile/cell.h"

#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/tag.h"

namespace bloomery {
namespace {

using namespace std::string_literals;

constexpr CellType kTypes[] = {CellType::kMinimum,      CellType::kPut,          CellType::kDelete,
                               CellType::kDeleteColumn, CellType::kDeleteFamily, CellType::kMaximum};

TEST(CellKey, FlatFormAsInFiles) {
  const CellKey key{"row1", "cf", "q1", 1700000000000, CellType::kPut};
  std::string flat;
  append_flat_key(flat, key);
  EXPECT_EQ(flat, "\x00\x04row1\x02\x63\x66q1\x00\x00\x01\x8b\xcf\xe5\x68\x00\x04"s);
  const auto back = parse_flat_key(flat);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->row, "row1");
  EXPECT_EQ(back->family, "cf");
  EXPECT_EQ(back->qualifier, "q1");
  EXPECT_EQ(back->timestamp, 1700000000000);
  EXPECT_EQ(back->type, CellType::kPut);
}

TEST(CellKey, WhatIsNoFlatKeyIsNone) {
  std::string flat;
  append_flat_key(flat, {"row1", "cf", "q1", 5, CellType::kPut});
  for (std::size_t size = 0; size < 12 + 6; ++size) {
    EXPECT_FALSE(parse_flat_key(std::string_view(flat).substr(0, size))) << size;
  }
  std::string other = flat;
  other.back() = 5;
  EXPECT_FALSE(parse_flat_key(other)) << "a type that there is not";
  other = flat;
  other[0] = '\x80';
  EXPECT_FALSE(parse_flat_key(other)) << "a row longer than the key";
  other = flat;
  other[6] = '\x7f';
  EXPECT_FALSE(parse_flat_key(other)) << "a family longer than the key";
  EXPECT_FALSE(compare_flat_keys(flat, other));
  EXPECT_EQ(compare_flat_keys(flat, flat), std::strong_ordering::equal);
}

// Every pair of a list that is in order, both ways, and in the flat form.
TEST(CellKey, OrderIsByRowFamilyQualifierThenTheNewestThenTheLargestType) {
  const std::string row_and_zero = "r\0"s;
  const std::vector<CellKey> in_order = {
      first_on_row(""),
      {"", "f", "q", 1, CellType::kPut},
      last_on_row(""),
      first_on_row("r"),
      {"r", "", "", 5, CellType::kDeleteFamily},
      {"r", "", "", kOldestTimestamp, CellType::kPut},
      first_on_column("r", "f", ""),
      first_delete_family_on_row("r", "f"),
      {"r", "f", "", kLatestTimestamp, CellType::kPut},
      {"r", "f", "", 7, CellType::kDeleteFamily},
      {"r", "f", "", 7, CellType::kDeleteFamilyVersion},
      {"r", "f", "", 7, CellType::kPut},
      {"r", "f", "", -7, CellType::kPut},
      first_on_column("r", "f", "a"),
      {"r", "f", "a", 2, CellType::kDeleteColumn},
      {"r", "f", "a", 2, CellType::kDelete},
      {"r", "f", "a", 2, CellType::kPut},
      {"r", "f", "a", 1, CellType::kPut},
      last_on_column("r", "f", "a"),
      {"r", "f", "aa", 9, CellType::kPut},
      {"r", "f", "\x7f", 9, CellType::kPut},
      {"r", "f", "\x80", 9, CellType::kPut},
      {"r", "fa", "", 9, CellType::kPut},
      last_on_row("r"),
      first_on_row(row_and_zero),
      first_on_row("r\x01"),
      first_on_row("s"),
      first_on_row("\xff"),
  };
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    for (std::size_t j = 0; j < in_order.size(); ++j) {
      EXPECT_EQ(in_order[i] <=> in_order[j], i <=> j) << i << ' ' << j;
      EXPECT_EQ(compare_flat_keys(FlatKey(in_order[i]).bytes(), FlatKey(in_order[j]).bytes()), i <=> j);
    }
  }
}

TEST(CellKey, FirstBehindARowIsBeforeEveryLaterRow) {
  const FlatKey behind = FlatKey::first_behind_row("row");
  EXPECT_LT(last_on_row("row"), behind.key());
  EXPECT_LT(behind.key(), CellKey({.row = "row\x01"}));
  const std::string next = "row\0"s;
  EXPECT_LT(behind.key(), CellKey({next, "f", "q", 1, CellType::kPut}));
}

TEST(CellKey, EveryTypeHasAName) {
  for (const CellType type : kTypes) {
    EXPECT_STRNE(cell_type_name(type), "unknown");
  }
}

TEST(Tag, TagsAreTakenOneByOne) {
  const std::string tags = "\x00\x03\x08\x61\x62\x00\x01\xc8"s;
  std::string_view left = tags;
  auto tag = read_tag(left);
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->type, 8);
  EXPECT_EQ(tag->bytes, "ab");
  tag = read_tag(left);
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->type, 200);
  EXPECT_EQ(tag->bytes, "");
  EXPECT_FALSE(read_tag(left));
  EXPECT_TRUE(left.empty());
  for (const std::string& damaged : {"\x00\x04\x08\x61\x62"s, "\x00\x00\x08"s, "\x00\x01"s}) {
    left = damaged;
    EXPECT_FALSE(read_tag(left));
    EXPECT_FALSE(left.empty()) << "damage looks like the end";
  }
}

}  // namespace
}  // namespace bloomery
