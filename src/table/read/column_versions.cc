#include "table/read/column_versions.h"

namespace bloomery::table {

ColumnVersions::ColumnVersions(const FamilyQuestion& question)
    : question_(question),
      is_named_(!question.columns.empty()),
      is_new_(question.family->has_new_version_behavior && !question.is_raw) {}

Match ColumnVersions::check(const CellKey& cell) {
  return is_new_ ? check_new(cell) : is_named_ ? check_named(cell) : check_all(cell);
}

// Advances next_ to the named column of the cell. If no named column has its qualifier, returns where to
// continue.
std::optional<Match> ColumnVersions::find_named(const CellKey& cell) {
  for (; next_ < question_.columns.size(); ++next_) {
    const std::string& wanted = question_.columns[next_];
    if (cell.qualifier <= wanted) {
      return cell.qualifier == wanted ? std::nullopt : std::optional(Match::kNextColumn);
    }
  }
  return Match::kNextRow;
}

Match ColumnVersions::check_named(const CellKey& cell) {
  if (const auto other = find_named(cell)) {
    return *other;
  }
  begin_column(cell);
  if (last_time_ == cell.timestamp) {
    return Match::kSkip;
  }
  ++count_;
  if (count_ >= question_.most_seen() ||
      (count_ >= question_.family->min_versions && question_.is_expired(cell.timestamp))) {
    ++next_;
    return is_finished() ? Match::kIncludeAndNextRow : Match::kIncludeAndNextColumn;
  }
  last_time_ = cell.timestamp;
  return Match::kInclude;
}

Match ColumnVersions::check_new(const CellKey& cell) {
  if (is_named_) {
    if (const auto other = find_named(cell)) {
      return *other;
    }
  }
  begin_column(cell);
  ++count_;
  const std::int32_t least = question_.family->min_versions;
  if (question_.is_expired(cell.timestamp) && count_ >= least) {
    return count_ == least ? Match::kIncludeAndNextColumn : Match::kNextColumn;
  }
  const std::int32_t most = question_.most_answered();
  return count_ < most ? Match::kInclude : count_ == most ? Match::kIncludeAndNextColumn : Match::kNextColumn;
}

Match ColumnVersions::leave_column(const CellKey& cell) {
  if (is_named_ && !is_new_) {
    while (next_ < question_.columns.size() && question_.columns[next_] <= cell.qualifier) {
      ++next_;
    }
    last_time_.reset();
    return is_finished() ? Match::kNextRow : Match::kNextColumn;
  }
  return Match::kNextColumn;
}

}  // namespace bloomery::table
