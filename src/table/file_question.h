// Whether a file can hold what a get asks for, in HBase's order: times, rows, Bloom filter. A no is certain
// and comes with its reason; what cannot tell, or is damaged, says maybe.
#pragma once

#include <string>
#include <string_view>

#include "table/cell_choice.h"
#include "table/open_hfile.h"

namespace bloomery::cli {

struct FileAnswer {
  bool may_contain = true;
  std::string reason = {};  // of a no, where it was asked for: "skipped by ..."
};

enum class Explain { kNo, kYes };

FileAnswer ask_file(const hfile::OpenFile& file, std::string_view row, const CellChoice& cells,
                    Explain explain);

}  // namespace bloomery::cli
