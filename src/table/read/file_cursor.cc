#include "table/read/file_cursor.h"

#include <utility>

#include "hfile/reader_access.h"

namespace bloomery::table {
namespace {

// A target that is near is reached sooner by steps than by the index.
constexpr int kStepsBeforeSeek = 8;

}  // namespace

FileCursor::FileCursor(StoreFilePointer file, bool is_reversed, std::size_t age)
    : file_(std::move(file)),
      scanner_(hfile::ReaderAccess::reader_of(file_->file).scan()),
      is_reversed_(is_reversed),
      age_(age) {}

// Whether the cell is of the half that does not count. Files are sorted, so forward nothing follows a cell
// behind the half.
bool FileCursor::is_outside() const {
  if (!file_->half) {
    return false;
  }
  const bool is_top = scanner_.cell().key.row >= file_->half->row;
  return is_top != file_->half->is_top;
}

Status FileCursor::take(Result<bool> found) {
  if (!found) {
    return found.error();
  }
  is_at_end_ = !*found || is_outside();
  if (!is_at_end_) {
    cell_ = scanner_.cell();
    cell_.mvcc = file_->mvcc.value_or(cell_.mvcc);
  }
  return {};
}

Status FileCursor::start(const RowBound& bound) {
  if (is_reversed_) {
    return take_reversed_row(bound.row, bound.is_included);
  }
  std::string row = bound.row;
  bool is_included = bound.is_included;
  if (file_->half && file_->half->is_top && row < file_->half->row) {
    row = file_->half->row;
    is_included = true;
  }
  if (row.empty() && is_included) {
    return take(scanner_.seek_to_first());
  }
  return take(scanner_.seek(is_included ? first_on_row(row) : last_on_row(row)));
}

// Goes to the first cell of the greatest row below `below`, or of that row itself. An empty `below` is behind
// all rows.
Status FileCursor::take_reversed_row(std::string_view below, bool is_included) {
  if (file_->half && !file_->half->is_top && (below.empty() || below >= file_->half->row)) {
    below = file_->half->row;
    is_included = false;
  }
  const bool is_open = below.empty() && is_included;
  Result<bool> found = is_open       ? scanner_.seek_to_last()
                       : is_included ? scanner_.seek_before(last_on_row(below))
                                     : scanner_.seek_before(first_on_row(below));
  if (!found || !*found) {
    is_at_end_ = true;
    return found ? Status() : found.error();
  }
  row_ = scanner_.cell().key.row;
  return take(scanner_.seek(first_on_row(row_)));
}

Status FileCursor::next() {
  BLOOMERY_RETURN_IF_ERROR(take(scanner_.next()));
  if (is_reversed_ && (is_at_end_ || cell_.key.row != row_)) {
    return next_row();
  }
  return {};
}

Status FileCursor::seek(const CellKey& key) {
  for (int i = 0; i < kStepsBeforeSeek; ++i) {
    BLOOMERY_RETURN_IF_ERROR(take(scanner_.next()));
    if (is_at_end_ || !(cell_.key < key)) {
      break;
    }
  }
  if (!is_at_end_ && cell_.key < key) {
    BLOOMERY_RETURN_IF_ERROR(take(scanner_.seek(key)));
  }
  return is_reversed_ && (is_at_end_ || cell_.key.row != row_) ? next_row() : Status();
}

Status FileCursor::seek_back(const CellKey& key) {
  const FlatKey target(key);
  BLOOMERY_RETURN_IF_ERROR(take_reversed_row(target.key().row, true));
  if (!is_at_end_ && row_ == target.key().row && cell_.key < target.key()) {
    return seek(target.key());
  }
  return {};
}

Status FileCursor::next_row() {
  if (is_reversed_) {
    const std::string row = row_;
    return take_reversed_row(row, false);
  }
  const FlatKey last(last_on_row(cell_.key.row));
  return seek(last.key());
}

}  // namespace bloomery::table
