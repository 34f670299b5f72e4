// The bytes that HBase's Bloom filters hash, by the filter's type.
//
//   ROW                      the row
//   ROWPREFIX_FIXED_LENGTH   the first bytes of the row, up to the prefix length
//   ROWCOL                   u16 row length | row | 00 | qualifier | 7f ff ff ff ff ff ff ff | ff
//                            big-endian: the flat key of a cell with an empty family, time 2^63 - 1, type 255
//
// Markers that delete a family are keys of a second filter, the delete-family filter, which hashes their
// rows. A ROWCOL file has no such filter: its filter has the marker under the empty qualifier.
//
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
#include "bloomery/hfile/row_order.h"

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

// Compares two columns in a file with this row order.
inline std::strong_ordering compare_columns(RowOrder order, const RowCol& a, const RowCol& b) {
  return order == RowOrder::kMeta && a.row != b.row ? compare_meta_rows(a.row, b.row) : a <=> b;
}

// Returns nothing if the key has another format. The order of such keys is not that of RowCol.
std::optional<RowCol> parse_rowcol_key(std::string_view key);

// The bytes of a ROWCOL key. A key of up to 240 bytes needs no allocation. Precondition: the row is shorter
// than 2^16.
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
