// The rows next to a row in byte order. Rows have at most kLongestRow bytes, so each has neighbours.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/hfile/cell.h"

namespace bloomery::table {

// Returns the first row after `row`. It may exceed kLongestRow by a byte, and then serves only as a bound.
inline std::string row_behind(std::string_view row) {
  return std::string(row) + '\0';
}

// Returns the last row before `row`. An empty `row` is after all rows.
inline std::string row_before(std::string_view row) {
  std::string before(row);
  if (!before.empty() && before.back() == '\0') {
    before.pop_back();
    return before;
  }
  if (!before.empty()) {
    before.back() = static_cast<char>(static_cast<unsigned char>(before.back()) - 1);
  }
  before.resize(kLongestRow, '\xff');
  return before;
}

}  // namespace bloomery::table
