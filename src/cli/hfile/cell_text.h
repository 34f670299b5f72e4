// Formats cells as text, one per line.
//
//   row TAB family TAB qualifier TAB timestamp TAB type TAB value TAB tags TAB mvcc
//
// The type has HBase's name. Tags are TYPE:BYTES, separated by commas. Bytes outside 0x21 to 0x7e and the
// backslash become \xHH, and so does a comma in a tag, so that every line can be parsed again.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"

namespace bloomery::cli {

// kJson is one object per line; its strings have the same escapes.
enum class CellForm { kTabs, kJson };

// Appends a cell as one line. Errors: kCorruption if its tags are truncated.
Status append_cell(std::string& out, const Cell& cell, CellForm form);

}  // namespace bloomery::cli
