// The keys that the index has for data blocks: HBase's own, and, for any pair of keys, between them.
#include "hfile/separator_key.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/hfile/golden.h"

namespace bloomery::hfile {
namespace {

TEST(SeparatorKey, IsTheOneThatHBaseMakes) {
  std::size_t checked = 0;
  for (const std::string& line : golden_lines("vectors.tsv")) {
    const auto fields = fields_of(line);
    if (fields[0] != "separator") {
      continue;
    }
    SCOPED_TRACE(line);
    const std::string before = unescaped(fields[1]);
    const std::string first = unescaped(fields[2]);
    std::string separator;
    append_separator_key(separator, *parse_flat_key(before), *parse_flat_key(first));
    EXPECT_EQ(escaped(separator), fields[3]);
    ++checked;
  }
  EXPECT_EQ(checked, 17u);
}

TEST(SeparatorKey, StandsBehindTheOneAndNotBehindTheOther) {
  std::mt19937_64 random(20251121);
  const auto text = [&] {
    std::string bytes(random() % 4, '\0');
    for (char& c : bytes) {
      c = "\0\x01\x7f\x80\xfe\xff"[random() % 6];
    }
    return bytes;
  };
  for (int i = 0; i < 100000; ++i) {
    const std::string rows[] = {text(), text()};
    const std::string qualifiers[] = {text(), text()};
    CellKey before{rows[0], "f", qualifiers[0], static_cast<std::int64_t>(random() % 3), CellType::kPut};
    CellKey first{rows[1], "f", qualifiers[1], static_cast<std::int64_t>(random() % 3), CellType::kPut};
    if (i % 2 == 0) {
      first.row = before.row;
    }
    if (before == first) {
      continue;
    }
    if (first < before) {
      std::swap(before, first);
    }
    std::string separator;
    append_separator_key(separator, before, first);
    const CellKey key = *parse_flat_key(separator);
    EXPECT_TRUE(before < key) << escaped(separator);
    EXPECT_TRUE(key <= first) << escaped(separator);
  }
}

}  // namespace
}  // namespace bloomery::hfile
