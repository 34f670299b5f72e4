// Rows that a scan passes over, because a file cannot be read there.
//
//   1. A FileCursor meets damage. It takes the place of the first row that may be lost, and stands there as
//      if it had a cell.
//   2. The merge reads the rows before on. They need nothing of what is lost.
//   3. When the scan comes to that row, the cursor refuses to move, and leaves its gap in the watch.
//   4. The RegionScanner lists the gap and starts all cursors again behind it.
//
// So the rows that are passed over are exactly those that are listed, whatever the file says of its own
// order. A gap may be wider than the damage, never narrower.
#pragma once

#include <optional>
#include <string>

#include "bloomery/base/error.h"
#include "hfile/block_index.h"

namespace bloomery::table {

// The rows from `first` on and before `end`. An empty `end` is behind all rows.
struct RowGap {
  std::string first = {};
  std::string end = {};
  // Cells are missing anywhere in the file, also in rows that were answered before.
  bool is_of_whole_file = false;
  Error error;

  bool has_rows() const { return end.empty() || first < end; }
};

// The cursors of a region share one while it is read.
struct DamageWatch {
  // The row that is read, or from which the scan begins. Rows that come before it in the scan do not matter
  // any more. Reversed, an empty one is behind all rows.
  std::string row = {};
  bool is_reversed = false;
  std::optional<RowGap> reached = {};  // the gap that stopped the scan
};

// Whether an error says that a file cannot be read, and not that a limit was reached or a signal came.
bool is_damage(const Error& error);

// Returns the rows that have cells in the span.
RowGap gap_of(const hfile::KeySpan& lost, const Error& error);
// Takes the rows out that do not matter any more.
void clip(RowGap& gap, const DamageWatch& watch);

}  // namespace bloomery::table
