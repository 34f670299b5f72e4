// Chooses the files of a store that a request has to read. A file is skipped only if it certainly has nothing
// that changes the result:
//
//   times      all cells are at or after the end of the time range, before its start, or past the TTL (only
//              if MIN_VERSIONS is 0)
//   rows       all rows are outside of the requested ones
//   filter     its Bloom filter says no: to the row, or to each named column, of one row; to the prefix that
//              all rows of a scan have, if the filter is of prefixes
//
// DeleteFamily and DeleteColumn extend a file's time range down to 0, so a file with markers that reach back
// is kept. Filters are queried only if the family uses them. A no is certain; a check that is undecided, or
// meets damage, answers maybe. Cells in memory have no filter, but know whether they may have a row. Source:
// HBase 2.6, StoreFileScanner and StoreFileReader.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/table/skipped_by.h"
#include "table/read/family_question.h"
#include "table/read/region_scanner.h"

namespace bloomery::table {

// Applies the checks that are the same for all rows: kNoCells, kTimeRange or kNothing.
SkippedBy skip_by_times(const StoreFile& file, const FamilyQuestion& question);
// Applies all checks for one row. Returns kNothing if the file may have something.
SkippedBy skip_for_row(const StoreFile& file, const FamilyQuestion& question, std::string_view row);
// Returns a sentence with the bounds; empty for kNothing.
std::string reason_of(SkippedBy by, const StoreFile& file, const FamilyQuestion& question);

struct FileChoice {
  SkippedBy skipped_by = SkippedBy::kNothing;
  std::string reason = {};  // why it is skipped; empty without ExplainSkips::kYes
};

// Returns a choice for each file of the store, in its order, for a scan.
std::vector<FileChoice> choose_files(const OpenStore& store, const FamilyQuestion& question,
                                     const RowSpan& span, ExplainSkips explain);
std::vector<StoreFilePointer> files_to_read(const OpenStore& store, const std::vector<FileChoice>& choices);

}  // namespace bloomery::table
