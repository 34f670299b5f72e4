// Cells as text: one a line, and the bytes of keys on the command line.
//
//   row TAB family TAB qualifier TAB timestamp TAB type TAB value TAB tags TAB mvcc
//
// The type by HBase's name; tags are type:bytes with commas between. Bytes outside 0x21 to 0x7e and the
// backslash are \xHH, in a tag the comma too, so that every line can be read back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"

namespace bloomery::cli {

// HBase has none that are longer.
inline constexpr std::size_t kLongestRow = 32767;
inline constexpr std::size_t kLongestFamily = 127;

// With `also` escaped beside what always is.
std::string escape_bytes(std::string_view bytes, char also = '\\');

// What was meant by text with \xHH in it, or with two backslashes for one; any other backslash is one.
std::string unescape_bytes(std::string_view text);

// "row r1, column f:q", for messages.
std::string show_column(std::string_view row, std::string_view family, std::string_view qualifier);

// Of JSON one object a line; bytes are strings then, escaped alike.
enum class CellForm { kTabs, kJson };

// A cell as a line. Errors: kCorruption where its tags are not whole.
Status append_cell(std::string& out, const Cell& cell, CellForm form);

}  // namespace bloomery::cli
