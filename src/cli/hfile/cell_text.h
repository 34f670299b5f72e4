// Cells as text, one a line.
//
//   row TAB family TAB qualifier TAB timestamp TAB type TAB value TAB tags TAB mvcc
//
// The type by HBase's name; tags are type:bytes with commas between. Bytes outside 0x21 to 0x7e and the
// backslash are \xHH, in a tag the comma too, so that every line can be read back.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"

namespace bloomery::cli {

// Of JSON one object a line; bytes are strings then, escaped alike.
enum class CellForm { kTabs, kJson };

// A cell as a line. Errors: kCorruption where its tags are not whole.
Status append_cell(std::string& out, const Cell& cell, CellForm form);

}  // namespace bloomery::cli
