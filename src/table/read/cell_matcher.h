// Decides for each cell of a family, in order, if it is returned and where the scan continues.
//
// The steps run until one of them decides:
//
//    1. The filter is done with the region: the end.
//    2. All named columns have been passed: the next row.
//    3. The cell is older than the family's TTL: the next column. Not with MIN_VERSIONS or new versions.
//    4. The cell is older than its own TTL: skip.
//    5. A marker is remembered if its time counts, and skipped. A raw scan continues with step 7.
//    6. A marker hides the cell: the next column, or skip.
//    7. The time is after the range: skip; before it: the next column.
//    8. The column and the number of versions (column_versions.h).
//    9. The filter's answer. Included cells are counted again, as the filter sees more versions than the
//       request wants.
//
// KEEP_DELETED_CELLS decides which markers count in step 5. With FALSE, every marker at or after the range's
// start counts, including markers newer than the range's end. With TRUE and TTL, only markers within the
// range count.
//
// Source: HBase 2.6, UserScanQueryMatcher, NormalUserScanQueryMatcher, RawScanQueryMatcher.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/hfile/cell.h"
#include "table/filter/filter_form.h"
#include "table/read/column_versions.h"
#include "table/read/delete_markers.h"
#include "table/read/family_question.h"
#include "table/read/new_versions.h"

namespace bloomery::table {

class CellMatcher {
 public:
  // Both must outlive the matcher; the filter may be null.
  CellMatcher(const FamilyQuestion& question, FilterState* filter);

  void start_row() {
    columns_.start_row();
    markers_.start_row();
    if (is_new_) {
      new_versions_.start_row();
    }
    has_included_ = false;
  }
  Match match(const Cell& cell) {
    const bool is_plain_put =
        is_simple_ && cell.key.type == CellType::kPut && cell.tags.empty() && !markers_.has_any();
    return is_plain_put && question_.times.contains(cell.key.timestamp) &&
                   !question_.is_expired(cell.key.timestamp)
               ? columns_.check_all(cell.key)
               : match_step_by_step(cell);
  }
  const std::string* wanted_column() const { return columns_.wanted(); }

 private:
  Match match_step_by_step(const Cell& cell);
  bool counts(const CellKey& marker) const;
  Match match_column(const Cell& cell);
  Match join(const CellKey& cell, Match of_column, FilterAnswer of_filter);
  Match count_included(const CellKey& cell, Match match);

  const FamilyQuestion& question_;
  FilterState* filter_;
  bool is_new_;
  bool is_simple_;  // all columns, no filter, default rules: most puts need step 8 only
  ColumnVersions columns_;
  DeleteMarkers markers_;
  NewVersions new_versions_;
  bool has_included_ = false;  // a cell of included_column_ was included
  std::string included_column_;
  std::int32_t included_ = 0;
};

}  // namespace bloomery::table
