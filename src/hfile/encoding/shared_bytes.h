// Computes how many leading bytes of two flat keys HBase's encoders count as shared. A reader accepts any
// number.
//
//   the keys differ in    shared bytes
//   the row's length      the equal bytes of the two-byte length
//   the row               the length, and the equal bytes of the row
//   neither               the length, the row, the family, and the equal bytes of the qualifier
//
// The families are assumed equal: a file has the cells of one family.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "bloomery/hfile/cell.h"
#include "hfile/encoding/key_bytes.h"

namespace bloomery::hfile {

inline std::size_t shared_front(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// Returns the shared bytes of two keys, without timestamp and type.
inline std::size_t shared_column_bytes(const KeyBytes& key, const KeyBytes& before) {
  constexpr std::size_t kRowLengthBytes = 2;
  const CellKey& a = key.key();
  const CellKey& b = before.key();
  if (a.row.size() != b.row.size()) {
    return shared_front(key.flat().substr(0, kRowLengthBytes), before.flat().substr(0, kRowLengthBytes));
  }
  const std::size_t of_row = shared_front(a.row, b.row);
  if (of_row != a.row.size()) {
    return kRowLengthBytes + of_row;
  }
  return kRowLengthBytes + of_row + 1 + a.family.size() + shared_front(a.qualifier, b.qualifier);
}

}  // namespace bloomery::hfile
