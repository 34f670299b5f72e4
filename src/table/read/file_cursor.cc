#include "table/read/file_cursor.h"

#include <algorithm>
#include <utility>

#include "table/read/neighbour_rows.h"

namespace bloomery::table {
namespace {

// A seek makes this many steps before it searches the index, since near targets are then found sooner.
constexpr int kStepsBeforeSeek = 8;

}  // namespace

FileCursor::FileCursor(StoreFilePointer file, bool is_reversed, std::size_t age, DamageWatch* watch,
                       std::uint64_t read_point)
    : file_(std::move(file)),
      source_(*file_, read_point),
      state_(source_.is_memory() ? nullptr : &source_.state()),
      is_reversed_(is_reversed),
      is_as_in_file_(!source_.is_memory() && !is_reversed && !file_->half && !file_->mvcc &&
                     hfile::is_plain(file_->file->encoding())),
      age_(age),
      watch_(watch) {}

// Returns true if the scanner's cell is not in the file's half. Forward, no cell of the half follows such a
// cell.
bool FileCursor::is_outside() const {
  if (!file_->half) {
    return false;
  }
  const bool is_top = source_.cell().key.row >= file_->half->row;
  return is_top != file_->half->is_top;
}

Status FileCursor::take(Result<bool> found) {
  if (!found) {
    return take_damage(found.error());
  }
  is_at_end_ = !*found || is_outside();
  if (is_at_end_) {
    return {};
  }
  cell_ = &source_.cell();
  if (file_->mvcc) {
    made_ = *cell_;
    made_.mvcc = *file_->mvcc;
    cell_ = &made_;
  }
  return {};
}

// Returns the rows of the file whose cells could not be read.
RowGap FileCursor::lost_rows(const Error& error) const {
  const hfile::KeySpan lost = state_->lost();
  RowGap gap = gap_of(lost, error);
  const auto last = parse_flat_key(file_->file->info().find("hfile.LASTKEY").value_or(std::string_view()));
  if (!lost.end && last) {
    gap.end = row_behind(last->row);
  }
  return gap;
}

// Handles an error of the scanner. At damage, a cursor with a watch moves before the rows of its half that
// may be lost. If the scan needs none of these rows, it moves to the first cell after the damage, or to the
// end.
Status FileCursor::take_damage(const Error& error) {
  is_at_end_ = true;
  if (watch_ == nullptr || !is_damage(error)) {
    return error;
  }
  RowGap gap = lost_rows(error);
  const auto& half = file_->half;
  const bool is_outside =
      half && (half->is_top ? !gap.end.empty() && gap.end <= half->row : gap.first >= half->row);
  if (is_outside && half->is_top == is_reversed_) {
    return {};  // no row of the half follows
  }
  if (half && half->is_top) {
    gap.first = std::max(gap.first, half->row);
  } else if (half && (gap.end.empty() || gap.end > half->row)) {
    gap.end = half->row;
  }
  clip(gap, *watch_);
  if (!gap.has_rows() && is_reversed_) {
    return {};  // take_reversed_row() continues before the damage
  }
  if (!gap.has_rows()) {  // the seek went through a block before its target
    const auto end = state_->lost().end;
    return end ? take(source_.seek(end->key())) : Status();
  }
  gap_ = std::move(gap);
  stand_at_gap(is_reversed_ ? row_before(gap_->end) : gap_->first);
  return {};
}

void FileCursor::stand_at_gap(std::string row) {
  is_at_end_ = false;
  is_at_gap_ = true;
  row_ = std::move(row);
  made_ = {.key = first_on_row(row_)};
  cell_ = &made_;
}

// Moves to the key: past the gap, or to a later row of the gap. Returns the gap's error if the key's row is
// not after the current one.
Status FileCursor::leave_gap(const CellKey& key) {
  const FlatKey target(key);
  const std::string row(key.row);
  const bool is_behind = is_reversed_ ? row < gap_->first : !gap_->end.empty() && row >= gap_->end;
  if (is_behind) {
    is_at_gap_ = false;
    return is_reversed_ ? take_reversed_row(row, true) : take(source_.seek(target.key()));
  }
  if (is_reversed_ ? row >= row_ : row <= row_) {
    return reach_gap();
  }
  (is_reversed_ ? gap_->end : gap_->first) = is_reversed_ ? row_behind(row) : row;
  stand_at_gap(row);
  return {};
}

Status FileCursor::reach_gap() {
  watch_->reached = gap_;
  return gap_->error;
}

// Delays the cursor at the newest possible cell of the first named column, from `column` on, that the file
// may have. Moves to the end if there is none.
void FileCursor::delay_at(std::size_t column) {
  const std::vector<std::string>& columns = *lazy_.columns;
  const auto may_have = [&](std::size_t i) {
    return !lazy_.asks_filter || source_.is_memory() ||
           file_->file->may_contain_column_alone(lazy_.row, columns[i]);
  };
  while (column < columns.size() && !may_have(column)) {
    ++column;
  }
  is_delayed_ = column < columns.size();
  is_at_end_ = !is_delayed_;
  if (is_delayed_) {
    const auto times = file_->time_span();
    const bool has_times = times && times->has_times();
    cell_ = &made_;
    made_ = {.key = {.row = lazy_.row,
                     .family = lazy_.family,
                     .qualifier = columns[column],
                     .timestamp = has_times ? times->newest : kLatestTimestamp}};
  }
}

void FileCursor::start_lazily(const LazyGet& get) {
  is_at_gap_ = false;
  has_looked_ = false;
  has_met_row_ = false;
  has_met_column_ = false;
  lazy_ = get;
  delay_at(0);
}

Status FileCursor::settle() {
  return settle_at(first_on_column(lazy_.row, lazy_.family, cell_->key.qualifier));
}

Status FileCursor::settle_at(const CellKey& key) {
  is_delayed_ = false;
  has_looked_ = true;
  BLOOMERY_RETURN_IF_ERROR(take(source_.seek(key)));
  const bool has_met_row = !is_at_end_ && !is_at_gap_ && cell_->key.row == lazy_.row;
  has_met_row_ = has_met_row_ || has_met_row;
  has_met_column_ = has_met_column_ || (has_met_row && cell_->key.qualifier == key.qualifier);
  return {};
}

// Returns true if the key is at the start or the end of a column of the family, or after the row. Then a
// cursor can be delayed at a column without being before the key.
bool FileCursor::is_between_columns(const CellKey& key) const {
  const bool is_first = key.timestamp == kLatestTimestamp && key.type == CellType::kMaximum;
  const bool is_last = key.timestamp == kOldestTimestamp && key.type == CellType::kMinimum;
  return key.row != lazy_.row || is_last_on_row(key) || (key.family == lazy_.family && (is_first || is_last));
}

// Makes a few steps towards the key within the block; the index may lead past the next block. Returns true if
// the cursor is where seek() must leave it.
Result<bool> FileCursor::step_in_block(const CellKey& key) {
  if (source_.is_memory()) {
    return step_in_memory(key);
  }
  for (int i = 0; i < kStepsBeforeSeek; ++i) {
    const hfile::Step found = state_->step();
    if (found != hfile::Step::kCell) {
      is_at_end_ = found == hfile::Step::kEnd && state_->is_last_within_limit();
      return is_at_end_;
    }
    BLOOMERY_RETURN_IF_ERROR(take(true));
    if (is_at_end_ || !(cell_->key < key)) {
      return true;
    }
  }
  return false;
}

Result<bool> FileCursor::step_in_memory(const CellKey& key) {
  for (int i = 0; i < kStepsBeforeSeek; ++i) {
    BLOOMERY_RETURN_IF_ERROR(take(source_.next()));
    if (is_at_end_ || !(cell_->key < key)) {
      return true;
    }
  }
  return false;
}

// Moves to the key like seek(), but reads no other block for it: the cursor is delayed instead. A key among
// the versions of a column, or of another family, is sought at once; only filters give such hints.
Status FileCursor::seek_lazily(const CellKey& key) {
  if (!is_delayed_) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, step_in_block(key));
    if (is_there) {
      return {};
    }
  }
  if (!is_between_columns(key)) {
    return settle_at(key);
  }
  const auto& columns = *lazy_.columns;
  const auto column = key.row != lazy_.row || is_last_on_row(key) ? columns.end()
                      : key.type == CellType::kMinimum ? std::ranges::upper_bound(columns, key.qualifier)
                                                       : std::ranges::lower_bound(columns, key.qualifier);
  delay_at(static_cast<std::size_t>(column - columns.begin()));
  return {};
}

Status FileCursor::start(const RowBound& bound) {
  is_at_gap_ = false;
  is_delayed_ = false;
  has_looked_ = true;
  has_met_row_ = false;
  lazy_ = {};
  BLOOMERY_RETURN_IF_ERROR(start_at(bound));
  has_met_row_ = !is_at_end_ && !is_at_gap_ && cell_->key.row == bound.row;
  has_met_column_ = has_met_row_;
  return {};
}

Status FileCursor::start_at(const RowBound& bound) {
  if (is_reversed_) {
    return take_reversed_row(bound.row, bound.is_included);
  }
  std::string_view row = bound.row;
  bool is_included = bound.is_included;
  if (file_->half && file_->half->is_top && row < file_->half->row) {
    row = file_->half->row;
    is_included = true;
  }
  if (row.empty() && is_included) {
    return take(source_.seek_to_first());
  }
  return take(source_.seek(is_included ? first_on_row(row) : last_on_row(row)));
}

// Moves to the first cell of the greatest row below `below`, or of `below` itself if it is included and
// exists. An empty `below` that is included is after all rows.
Status FileCursor::take_reversed_row(std::string_view below, bool is_included) {
  if (file_->half && !file_->half->is_top && (below.empty() || below >= file_->half->row)) {
    below = file_->half->row;
    is_included = false;
  }
  const bool is_open = below.empty() && is_included;
  Result<bool> found = is_open       ? source_.seek_to_last()
                       : is_included ? source_.seek_before(last_on_row(below))
                                     : source_.seek_before(first_on_row(below));
  if (!found) {
    const std::string lost = lost_rows(found.error()).first;
    BLOOMERY_RETURN_IF_ERROR(take_damage(found.error()));
    // Without a gap, the seek went through a block after its target.
    const std::string before = row_before(lost);
    return is_at_gap_ || lost.empty() ? Status() : take_reversed_row(before, true);
  }
  if (!*found) {
    is_at_end_ = true;
    return {};
  }
  row_ = source_.cell().key.row;
  return take(source_.seek(first_on_row(row_)));
}

Status FileCursor::leave_block(hfile::Step found) {
  return take(source_.leave_block(found));
}

Status FileCursor::next_slowly() {
  if (is_at_gap_) {
    return reach_gap();
  }
  BLOOMERY_RETURN_IF_ERROR(take(source_.next()));
  return end_row();
}

// In a reversed scan, moves to the previous row if the current one has ended.
Status FileCursor::end_row() {
  return is_reversed_ && !is_at_gap_ && (is_at_end_ || cell_->key.row != row_) ? next_row() : Status();
}

Status FileCursor::seek(const CellKey& key) {
  if (is_at_gap_) {
    return leave_gap(key);
  }
  if (lazy_.columns != nullptr) {
    return seek_lazily(key);
  }
  if (is_limited_) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, step_in_block(key));
    return is_there ? Status() : take(source_.seek(key));
  }
  for (int i = 0; i < kStepsBeforeSeek; ++i) {
    BLOOMERY_RETURN_IF_ERROR(take(source_.next()));
    if (is_at_end_ || is_at_gap_ || !(cell_->key < key)) {
      break;
    }
  }
  if (!is_at_end_ && !is_at_gap_ && cell_->key < key) {
    BLOOMERY_RETURN_IF_ERROR(take(source_.seek(key)));
  }
  return end_row();
}

Status FileCursor::seek_back(const CellKey& key) {
  if (is_at_gap_) {
    return leave_gap(key);
  }
  const FlatKey target(key);
  BLOOMERY_RETURN_IF_ERROR(take_reversed_row(target.key().row, true));
  if (!is_at_end_ && !is_at_gap_ && row_ == target.key().row && cell_->key < target.key()) {
    return seek(target.key());
  }
  return {};
}

Status FileCursor::next_row() {
  if (is_at_gap_) {
    return reach_gap();
  }
  if (is_reversed_) {
    const std::string row = row_;
    return take_reversed_row(row, false);
  }
  const FlatKey last(last_on_row(cell_->key.row));
  return seek(last.key());
}

}  // namespace bloomery::table
