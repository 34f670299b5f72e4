// Checks if a file can hold the cells of a get, in HBase's order: time range, key range, Bloom filter. A no
// is certain and comes with its reason. A check that is undecided, or meets damage, answers maybe.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/table/cell_choice.h"
#include "bloomery/table/skipped_by.h"
#include "hfile/open_file.h"

namespace bloomery::table {

struct FileAnswer {
  SkippedBy skipped_by = SkippedBy::kNothing;
  std::string reason = {};  // why the answer is no; for the filter only with kYes
};

FileAnswer ask_file(const hfile::OpenFile& file, std::string_view row, const CellChoice& cells,
                    ExplainSkips explain);

}  // namespace bloomery::table
