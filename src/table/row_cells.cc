#include "table/row_cells.h"

#include <optional>

namespace bloomery::table {

// Moves to the next cell that may be wanted.
Result<bool> RowCells::step() {
  if (!started_) {
    started_ = true;
    return scanner_.seek(first_on_row(row_));
  }
  const CellKey& at = scanner_.cell().key;
  // A seek must not skip cells with an empty qualifier: the delete markers of the family have one too, and
  // are sorted among these cells by timestamp.
  if (cells_.wants_column(at) || at.qualifier.empty()) {
    return scanner_.next();
  }
  const std::optional<CellKey> wanted = cells_.next_wanted(at);
  if (!wanted) {
    return false;
  }
  const FlatKey target(*wanted);  // a copy: the seek invalidates the cell's bytes
  return scanner_.seek(target.key());
}

Result<bool> RowCells::next() {
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, step());
    if (!found || scanner_.cell().key.row != row_) {
      return false;
    }
    if (cells_.wants(scanner_.cell().key)) {
      return true;
    }
  }
}

}  // namespace bloomery::table
