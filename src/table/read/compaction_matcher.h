// Decides for each cell of the files that are compacted, in order, if the new file has it.
//
//    minor    keeps all delete markers
//    major    drops markers too, so that the puts that they hid must be among the files: all of a family
//
// Both drop what no read can see: puts that a marker among the files hides, versions beyond VERSIONS, what is
// older than TTL (but for MIN_VERSIONS) or than its own TTL. With KEEP_DELETED_CELLS markers hide nothing
// here, and leave only by their age: TRUE when they are older than every put, TTL when they are expired.
//
// Not for NEW_VERSION_BEHAVIOR. Source: HBase 2.6, MinorCompactionScanQueryMatcher,
// MajorCompactionScanQueryMatcher, DropDeletesCompactionScanQueryMatcher.
#pragma once

#include <cstdint>

#include "bloomery/hfile/cell.h"
#include "table/read/column_versions.h"
#include "table/read/delete_markers.h"
#include "table/read/family_question.h"

namespace bloomery::table {

class CompactionMatcher {
 public:
  // The family must outlive the matcher. `earliest_put` is the timestamp of the oldest put of the files.
  CompactionMatcher(const FamilySchema& family, bool is_major, std::int64_t now, std::int64_t earliest_put);
  CompactionMatcher(const CompactionMatcher&) = delete;
  CompactionMatcher& operator=(const CompactionMatcher&) = delete;

  void start_row() {
    columns_.start_row();
    markers_.start_row();
  }
  // Returns kInclude, kSkip, or kNextColumn: the rest of the column is dropped, too.
  Match match(const Cell& cell);

 private:
  Match match_marker(const CellKey& marker);

  FamilyQuestion question_;
  bool is_major_;
  std::int64_t earliest_put_;
  ColumnVersions columns_;
  DeleteMarkers markers_;
};

}  // namespace bloomery::table
