// Rows that a scan skips, because a file cannot be read there.
//
//   1. A FileCursor meets damage. It moves to the first row that may be lost, as if it had a cell there.
//   2. The merge returns the rows before it. They need none of the lost cells.
//   3. When the scan reaches that row, the cursor refuses to move, and stores its gap in the watch.
//   4. The RegionScanner lists the gap and restarts all cursors after it.
//
// So the skipped rows are exactly the listed ones, whatever the file says about its own order. A gap may be
// wider than the damage, never narrower.
#pragma once

#include <optional>
#include <string>

#include "bloomery/base/error.h"
#include "hfile/block_index.h"

namespace bloomery::table {

// The rows from `first` on and before `end`. An empty `end` is after all rows.
struct RowGap {
  std::string first = {};
  std::string end = {};
  // The lost cells can be anywhere in the file, also in rows that were returned before.
  bool is_of_whole_file = false;
  Error error;

  bool has_rows() const { return end.empty() || first < end; }
};

// State that the cursors of a region share.
struct DamageWatch {
  // The current row, or the row from which the scan begins. Rows that come before it in the scan no longer
  // matter. Reversed, an empty one is after all rows.
  std::string row = {};
  bool is_reversed = false;
  std::optional<RowGap> reached = {};  // the gap that stopped the scan
};

// Returns true if an error means an unreadable file, and not a reached limit or a signal.
bool is_damage(const Error& error);

// Returns the rows that have cells in the span.
RowGap gap_of(const hfile::KeySpan& lost, const Error& error);
// Removes the rows that the scan has passed.
void clip(RowGap& gap, const DamageWatch& watch);

}  // namespace bloomery::table
