#include "table/row_cells.h"

#include <optional>

namespace bloomery::table {

// Towards the next one that may be wanted.
Result<bool> RowCells::step() {
  if (!started_) {
    started_ = true;
    return scanner_.seek(first_on_row(row_));
  }
  const CellKey& at = scanner_.cell().key;
  // Markers of a family stand among the cells without a qualifier, in the order of their times.
  if (cells_.wants_column(at) || at.qualifier.empty()) {
    return scanner_.next();
  }
  const std::optional<CellKey> wanted = cells_.next_wanted(at);
  if (!wanted) {
    return false;
  }
  const FlatKey target(*wanted);  // the cell's bytes do not outlast the seek
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
