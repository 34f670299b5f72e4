// The order of rows in an HFile.
//
//   kBytes   rows as unsigned bytes; a prefix sorts before the rows that it begins. All tables but one use it
//   kMeta    the order of hbase:meta, whose rows are TABLE,START KEY,ID
//
// In the order of hbase:meta a row is split at its first and its last comma. The three fields are compared
// one after the other, each as unsigned bytes, so that a start key may have any bytes:
//
//   a row          bytes of the start key    in the order of bytes
//   t,,1           none                      after t,\x00,1
//   t,\x00,1       00                        before t,,1
//
// A row without a comma is a table name alone, and sorts before all rows of the table. In a row with one
// comma, which hbase:meta does not have, the id is missing and sorts before all others. HBase 2.6 compares
// bytes outside the row in that case.
//
// Source: HBase's MetaCellComparator, run on 300 rows (tests/golden/hbase/edges/meta_order.txt). Pure; safe
// from any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "bloomery/hfile/cell.h"

namespace bloomery {

enum class RowOrder : std::uint8_t { kBytes, kMeta };

// Compares two rows in the order of hbase:meta. Only identical rows are equal.
std::strong_ordering compare_meta_rows(std::string_view a, std::string_view b);

inline std::strong_ordering compare_rows(RowOrder order, std::string_view a, std::string_view b) {
  return order == RowOrder::kMeta ? compare_meta_rows(a, b) : a <=> b;
}

// Compares two keys in a file of this order. Within a row all orders are the same.
inline std::strong_ordering compare_keys(RowOrder order, const CellKey& a, const CellKey& b) {
  return order == RowOrder::kMeta && a.row != b.row ? compare_meta_rows(a.row, b.row) : a <=> b;
}

}  // namespace bloomery
