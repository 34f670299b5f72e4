#include "table/read/cell_matcher.h"

#include "table/read/own_time_to_live.h"

namespace bloomery::table {

CellMatcher::CellMatcher(const FamilyQuestion& question, FilterState* filter)
    : question_(question),
      filter_(filter),
      is_new_(question.family->has_new_version_behavior && !question.is_raw),
      is_simple_(filter == nullptr && !question.is_raw && !is_new_ && question.columns.empty()),
      columns_(question),
      new_versions_(question.family->versions) {}

bool CellMatcher::counts(const CellKey& marker) const {
  return question_.family->keep_deleted == KeepDeletedCells::kFalse
             ? marker.timestamp >= question_.times.from
             : question_.times.contains(marker.timestamp);
}

Match CellMatcher::match_step_by_step(const Cell& cell) {
  if (filter_ != nullptr && filter_->is_done()) {
    return Match::kEnd;
  }
  if (columns_.is_finished()) {
    return Match::kNextRow;
  }
  if (columns_.is_too_old(cell.key.timestamp)) {
    return columns_.leave_column(cell.key);
  }
  if (has_outlived_itself(cell, question_.now)) {
    return Match::kSkip;
  }
  if (question_.is_raw) {
    return match_column(cell);
  }
  if (is_marker(cell.key.type)) {
    if (counts(cell.key)) {
      is_new_ ? new_versions_.add(cell) : markers_.add(cell.key);
    }
    return Match::kSkip;
  }
  if (is_new_) {
    return new_versions_.hides(cell) ? Match::kSkip : match_column(cell);
  }
  switch (markers_.hides(cell.key)) {
    case Hidden::kVersion:
      return Match::kSkip;
    case Hidden::kRestOfColumn:
      return columns_.leave_column(cell.key);
    case Hidden::kNot:
      break;
  }
  return match_column(cell);
}

Match CellMatcher::match_column(const Cell& cell) {
  if (question_.times.is_after(cell.key.timestamp)) {
    return Match::kSkip;
  }
  if (cell.key.timestamp < question_.times.from) {
    return columns_.leave_column(cell.key);
  }
  const Match of_column = columns_.check(cell.key);
  if (filter_ == nullptr || of_column > Match::kIncludeAndNextRow) {
    return of_column;
  }
  return join(cell.key, of_column, filter_->filter_cell(cell));
}

// Combines the answers of columns_ and of the filter about a cell that columns_ includes.
Match CellMatcher::join(const CellKey& cell, Match of_column, FilterAnswer of_filter) {
  switch (of_filter) {
    case FilterAnswer::kSkip:
      return of_column == Match::kInclude                ? Match::kSkip
             : of_column == Match::kIncludeAndNextColumn ? Match::kNextColumn
                                                         : Match::kNextRow;
    case FilterAnswer::kNextColumn:
      return of_column == Match::kIncludeAndNextRow ? Match::kNextRow : columns_.leave_column(cell);
    case FilterAnswer::kNextRow:
      return Match::kNextRow;
    case FilterAnswer::kHint:
      return Match::kHint;
    case FilterAnswer::kIncludeAndNextRow:
      return count_included(cell, Match::kIncludeAndNextRow);
    case FilterAnswer::kIncludeAndNextColumn:
      if (of_column == Match::kInclude) {
        (void)columns_.leave_column(cell);
        return count_included(cell, Match::kIncludeAndNextColumn);
      }
      return count_included(cell, of_column);
    case FilterAnswer::kInclude:
      return count_included(cell, of_column);
  }
  return Match::kSkip;
}

// Counts a cell that the filter includes. Cells beyond the request's number of versions are not returned.
Match CellMatcher::count_included(const CellKey& cell, Match match) {
  if (!has_included_ || cell.qualifier != included_column_) {
    has_included_ = true;
    included_column_ = cell.qualifier;
    included_ = 0;
  }
  if (++included_ <= question_.most_answered()) {
    return match;
  }
  return match == Match::kIncludeAndNextRow ? Match::kNextRow : Match::kNextColumn;
}

}  // namespace bloomery::table
