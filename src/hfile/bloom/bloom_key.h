// What HBase's Bloom filters hash, by their type.
//
//   ROW                      the row
//   ROWPREFIX_FIXED_LENGTH   the first bytes of the row, as many as the prefix length; a shorter row whole
//   ROWCOL                   u16 row length | row | 00 | qualifier | 7f ff ff ff ff ff ff ff | ff
//                            big-endian; the key of a cell without a family, newest, of the largest type
//
// A family's delete markers stand in a filter of rows of its own, and in ROWCOL under the empty qualifier.
// Source: docs/formats/hfile.md.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/hfile/hfile_choices.h"

namespace bloomery::hbase {

using hfile::bloom_type_name;
using hfile::BloomType;

inline std::string_view row_prefix(std::string_view row, std::size_t prefix_bytes) {
  return row.substr(0, prefix_bytes);
}

// The order of ROWCOL keys: by row, then by qualifier, both as unsigned bytes.
struct RowCol {
  std::string_view row;
  std::string_view qualifier;

  friend std::strong_ordering operator<=>(const RowCol& a, const RowCol& b) {
    const auto rows = a.row <=> b.row;
    return std::is_neq(rows) ? rows : a.qualifier <=> b.qualifier;
  }
  friend bool operator==(const RowCol&, const RowCol&) = default;
};

// Nothing when the key is of another form, so that its order is not that of RowCol.
std::optional<RowCol> parse_rowcol_key(std::string_view key);

// The bytes of a ROWCOL key; most fit without an allocation. Precondition: the row is shorter than 2^16.
class RowColKey {
 public:
  explicit RowColKey(const RowCol& parts);
  RowColKey(const RowColKey&) = delete;
  RowColKey& operator=(const RowColKey&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  std::array<char, 240> small_;
  std::string large_;
  std::string_view bytes_;
};

}  // namespace bloomery::hbase
