#include "table/read/compaction_matcher.h"

#include "table/read/own_time_to_live.h"

namespace bloomery::table {

CompactionMatcher::CompactionMatcher(const FamilySchema& family, bool is_major, std::int64_t now,
                                     std::int64_t earliest_put)
    : question_({.family = &family, .versions = family.versions}),
      is_major_(is_major),
      earliest_put_(earliest_put),
      columns_(question_) {
  question_.set_now(now);
}

Match CompactionMatcher::match(const Cell& cell) {
  if (columns_.is_too_old(cell.key.timestamp)) {
    return Match::kNextColumn;
  }
  if (has_outlived_itself(cell, question_.now)) {
    return Match::kSkip;
  }
  if (is_marker(cell.key.type)) {
    return match_marker(cell.key);
  }
  switch (markers_.hides(cell.key)) {
    case Hidden::kVersion:
      return Match::kSkip;
    case Hidden::kRestOfColumn:
      return Match::kNextColumn;
    case Hidden::kNot:
      break;
  }
  return columns_.check_all(cell.key);
}

Match CompactionMatcher::match_marker(const CellKey& marker) {
  const KeepDeletedCells keep = question_.family->keep_deleted;
  const bool is_kept = keep == KeepDeletedCells::kTrue ||
                       (keep == KeepDeletedCells::kTtl && !question_.is_expired(marker.timestamp));
  if (!is_kept) {
    markers_.add(marker);
  }
  if (!is_major_) {
    return Match::kInclude;
  }
  if (!is_kept) {
    return Match::kSkip;
  }
  if (marker.timestamp < earliest_put_) {
    return Match::kNextColumn;
  }
  // HBase counts a marker of the family, too, against the versions of the column without a qualifier, and may
  // lose it.
  return deletes_family(marker.type) ? Match::kInclude : columns_.check_all(marker);
}

}  // namespace bloomery::table
