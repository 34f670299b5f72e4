// The order of rows in an HFile.
//
//   kBytes   rows as unsigned bytes; a row comes before the rows that it begins. All tables but one have it
//   kMeta    the order of hbase:meta, whose rows are TABLE,START KEY,ID
//
// In the order of hbase:meta a row is cut at its first and its last comma. The three parts are compared one after
// the other, each as unsigned bytes, so that a start key may have any bytes:
//
//   a row          bytes of the start key    in the order of bytes
//   t,,1           none                      after t,\x00,1
//   t,\x00,1       00                        before t,,1
//
// A row without comma is a table alone, and comes before all rows of the table. In a row with one comma, which
// hbase:meta does not have, the id is missing and comes before all others. HBase 2.6 compares bytes from outside
// the row there.
//
// Source: HBase's MetaCellComparator, asked for the order of 300 rows (tests/golden/hbase/edges/meta_order.txt).
// Pure; safe from any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "bloomery/hfile/cell.h"

namespace bloomery {

enum class RowOrder : std::uint8_t { kBytes, kMeta };

// Compares two rows as hbase:meta does. Only identical rows are equal.
std::strong_ordering compare_meta_rows(std::string_view a, std::string_view b);

inline std::strong_ordering compare_rows(RowOrder order, std::string_view a, std::string_view b) {
  return order == RowOrder::kMeta ? compare_meta_rows(a, b) : a <=> b;
}

// Compares two keys in a file of this order. Within a row all orders are the same.
inline std::strong_ordering compare_keys(RowOrder order, const CellKey& a, const CellKey& b) {
  return order == RowOrder::kMeta && a.row != b.row ? compare_meta_rows(a.row, b.row) : a <=> b;
}

}  // namespace bloomery
