// Decides which columns and versions of a row are returned, from the requested columns and the number of
// versions of each.
//
// There are three ways to count:
//
//   all columns      versions with different timestamps or types; markers of a raw scan do not count
//   named columns    versions with different timestamps; after the last one, seeks the next named column
//   new versions     the output of new_versions.h; only the request's number of versions is applied
//
// MIN_VERSIONS keeps versions that are older than the TTL. Source: HBase 2.6, ScanWildcardColumnTracker,
// ExplicitColumnTracker, NewVersionBehaviorTracker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/short_copy.h"
#include "bloomery/hfile/cell.h"
#include "table/read/delete_markers.h"
#include "table/read/family_question.h"

namespace bloomery::table {

enum class Match : std::uint8_t {
  kInclude,
  kIncludeAndNextColumn,
  kIncludeAndNextRow,
  kSkip,
  kNextColumn,
  kNextRow,
  kHint,
  kEnd,  // the region has no more for this family
};

class ColumnVersions {
 public:
  explicit ColumnVersions(const FamilyQuestion& question);

  void start_row() {
    next_ = 0;
    has_column_ = false;
    count_ = 0;
    last_time_.reset();
  }
  // Returns true if all named columns have been passed.
  bool is_finished() const { return is_named_ && next_ == question_.columns.size(); }
  // Returns true if no cell of this age or older in its column can be returned.
  bool is_too_old(std::int64_t time) const {
    return !is_new_ && question_.family->min_versions <= 0 && question_.is_expired(time);
  }
  // Counts the cell. Returns an include, kSkip, kNextColumn or kNextRow.
  Match check(const CellKey& cell);
  // Like check(), for a request of all columns of a family without NEW_VERSION_BEHAVIOR.
  Match check_all(const CellKey& cell);
  // Ends the cell's column. Returns kNextColumn or kNextRow.
  Match leave_column(const CellKey& cell);
  // Returns the named column to continue with, or null if all columns are requested.
  const std::string* wanted() const {
    return is_named_ && next_ < question_.columns.size() ? &question_.columns[next_] : nullptr;
  }

 private:
  Match check_named(const CellKey& cell);
  Match check_new(const CellKey& cell);
  std::optional<Match> find_named(const CellKey& cell);
  void begin_column(const CellKey& cell);

  const FamilyQuestion& question_;
  bool is_named_;
  bool is_new_;
  std::size_t next_ = 0;  // the index of the next named column
  bool has_column_ = false;
  std::string column_;
  std::int32_t count_ = 0;
  std::optional<std::int64_t> last_time_;
  CellType last_type_ = CellType::kPut;
};

// Resets the count if the cell is in another column than the previous cell.
inline void ColumnVersions::begin_column(const CellKey& cell) {
  if (!has_column_ || !equal_short(cell.qualifier, column_)) {
    has_column_ = true;
    assign_short(column_, cell.qualifier);
    count_ = 0;
    last_time_.reset();
  }
}

inline Match ColumnVersions::check_all(const CellKey& cell) {
  begin_column(cell);
  if (last_time_ == cell.timestamp && last_type_ == cell.type) {
    return Match::kSkip;
  }
  if (!is_marker(cell.type)) {
    ++count_;
  }
  if (count_ > question_.most_seen() ||
      (count_ > question_.family->min_versions && question_.is_expired(cell.timestamp))) {
    return Match::kNextColumn;
  }
  last_time_ = cell.timestamp;
  last_type_ = cell.type;
  return Match::kInclude;
}

}  // namespace bloomery::table
