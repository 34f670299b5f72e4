// Files that the original systems wrote, and the tables beside them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "bloomery/dialects/dialects.h"

namespace bloomery {

// Returns the bytes of a file in tests/golden/, such as "guava/int_s1.bf".
inline std::string golden_file(const std::string& name) {
  std::ifstream file(std::string(BLOOMERY_SOURCE) + "/tests/golden/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

// The rows of a table whose first line has the names of its columns.
inline std::vector<std::map<std::string, std::string>> rows_of(const std::string& table) {
  std::istringstream lines(table);
  const auto split = [](const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, ',');) {
      cells.push_back(cell);
    }
    return cells;
  };
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = split(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = split(line);
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i) {
      row[names[i]] = cells[i];
    }
    rows.push_back(std::move(row));
  }
  EXPECT_FALSE(rows.empty());
  return rows;
}

// Returns the rows of a file in tests/golden/.
inline std::vector<std::map<std::string, std::string>> golden_table(const std::string& name) {
  return rows_of(golden_file(name));
}

// The same, each row made of its cells.
template <typename Row>
std::vector<Row> golden_rows(const std::string& name) {
  std::vector<Row> rows;
  for (const auto& cells : golden_table(name)) {
    rows.emplace_back(cells);
  }
  return rows;
}

template <typename Integer>
std::string little_endian(Integer value) {
  std::string bytes(sizeof(value), '\0');
  store_little(reinterpret_cast<std::byte*>(bytes.data()), value);
  return bytes;
}

// "key000042".
inline std::string numbered_key(std::uint64_t i) {
  char text[32];
  std::snprintf(text, sizeof(text), "key%06llu", static_cast<unsigned long long>(i));
  return text;
}

inline std::unique_ptr<DialectFilter> viewed(std::string_view bytes, std::string_view dialect) {
  auto filter = view_dialect(std::as_bytes(std::span(bytes)), dialect);
  EXPECT_TRUE(filter) << filter.error().to_string();
  return filter ? std::move(*filter) : nullptr;
}

inline std::string written(const DialectFilter& filter) {
  std::string bytes;
  EXPECT_TRUE(filter.append_to(bytes));
  return bytes;
}

// The keys `of` makes from `first` to `first + count - 1`, and views of them.
class KeyRange {
 public:
  template <typename Of>
  KeyRange(Of of, std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = first; i < first + count; ++i) {
      keys_.push_back(of(i));
    }
    views_.assign(keys_.begin(), keys_.end());
  }
  KeyRange(const KeyRange&) = delete;
  KeyRange& operator=(const KeyRange&) = delete;

  std::span<const std::string_view> views() const { return views_; }

 private:
  std::vector<std::string> keys_;
  std::vector<std::string_view> views_;
};

// How many of the keys may be in, by a batch; each single answer is compared with it.
inline std::uint64_t count_maybes(const DialectFilter& filter, std::span<const std::string_view> keys) {
  std::vector<std::uint64_t> answers(answer_words(keys.size()), ~std::uint64_t{0});
  filter.may_contain_batch(keys, answers);
  std::uint64_t maybes = 0;
  std::uint64_t bits = 0;
  std::uint64_t differing = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool maybe = filter.may_contain(keys[i]);
    maybes += std::uint64_t{maybe};
    differing += std::uint64_t{((answers[i / 64] >> (i % 64) & 1) != 0) != maybe};
  }
  for (const std::uint64_t word : answers) {
    bits += static_cast<std::uint64_t>(std::popcount(word));
  }
  EXPECT_EQ(differing, 0u) << "a batch and single questions differ";
  EXPECT_EQ(bits, maybes) << "bits behind the last answer";
  return maybes;
}

// A new filter of `keys`.
inline Result<std::unique_ptr<DialectFilter>> built(std::string_view dialect, const DialectPlan& plan,
                                                    std::span<const std::string_view> keys) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto builder, build_dialect(dialect, plan));
  BLOOMERY_RETURN_IF_ERROR(builder->add(keys));
  return builder->finish();
}

}  // namespace bloomery
