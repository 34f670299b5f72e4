#include "table/read/row_gap.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "bloomery/hfile/cell.h"
#include "table/read/neighbour_rows.h"

namespace bloomery::table {

bool is_damage(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kCorruption:
    case ErrorCode::kUnsupported:
    case ErrorCode::kNotFound:
      return true;
    case ErrorCode::kIo: {
      constexpr std::array kOfProcess = {EINTR, EMFILE, ENFILE, ENOMEM};
      return std::ranges::find(kOfProcess, error.errno_value()) == kOfProcess.end();
    }
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kCapacity:
      return false;
  }
  return false;
}

// If the end of the span is in the middle of a row, this row is lost too.
RowGap gap_of(const hfile::KeySpan& lost, const Error& error) {
  RowGap gap{.is_of_whole_file = !lost.first && !lost.end, .error = error};
  if (lost.first) {
    gap.first = lost.first->key().row;
  }
  if (lost.end) {
    const CellKey end = lost.end->key();
    const bool is_whole_row = end <= first_on_row(end.row);
    gap.end = is_whole_row ? std::string(end.row) : row_behind(end.row);
  }
  return gap;
}

void clip(RowGap& gap, const DamageWatch& watch) {
  if (!watch.is_reversed) {
    gap.first = std::max(gap.first, watch.row);
  } else if (!watch.row.empty() && (gap.end.empty() || gap.end > row_behind(watch.row))) {
    gap.end = row_behind(watch.row);
  }
}

}  // namespace bloomery::table
