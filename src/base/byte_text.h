// Bytes as text that can be read back: in messages, in lines, and on the command line.
//
//   printable bytes without space and backslash stand for themselves; every other byte is \xHH
#pragma once

#include <string>
#include <string_view>

namespace bloomery {

// Bytes outside 0x21 to 0x7e, the backslash and `also` become \xHH.
void append_escaped(std::string& out, std::string_view bytes, char also = '\\');
std::string escape_bytes(std::string_view bytes, char also = '\\');

// Text for a terminal: control characters, which could move the cursor or forge a line, and bytes that are no UTF-8
// become \xHH; everything else stays as it is, so that this cannot always be read back.
std::string printable_text(std::string_view text);

// What was meant by text with \xHH in it, or with two backslashes for one; any other backslash is one.
std::string unescape_bytes(std::string_view text);

}  // namespace bloomery
