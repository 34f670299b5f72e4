// Chooses the files of a store that a request has to read. A file is left out only if it surely has nothing
// that changes the answer:
//
//   times      all cells are at or after the end of the time range, or before its begin, or outlived the TTL
//   rows       all rows are outside of those that are read
//   filter     a get, and the file's Bloom filter says no: to the row, or to each named column
//
// DeleteFamily and DeleteColumn pull the begin of a file's time range to 0, so a file with markers that reach
// back is kept. Filters are asked only if the family uses them. Source: HBase 2.6, StoreFileScanner and
// StoreFileReader.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bloomery/table/skipped_by.h"
#include "table/read/family_question.h"
#include "table/read/region_scanner.h"

namespace bloomery::table {

struct FileChoice {
  SkippedBy skipped_by = SkippedBy::kNothing;
  std::string reason = {};  // of a skip that is explained: "skipped by ..."
};

// Returns a choice for each file of the store, in its order.
std::vector<FileChoice> choose_files(const OpenStore& store, const FamilyQuestion& question,
                                     const RowSpan& span, ExplainSkips explain);
std::vector<StoreFilePointer> files_to_read(const OpenStore& store, const std::vector<FileChoice>& choices);

}  // namespace bloomery::table
