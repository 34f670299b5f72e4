// Bytes as text that can be read back, for messages, lines and the command line.
//
// Printable bytes except space and backslash are unchanged. Every other byte is written as \xHH.
#pragma once

#include <string>
#include <string_view>

namespace bloomery {

// Writes bytes outside 0x21 to 0x7e, the backslash and `also` as \xHH.
void append_escaped(std::string& out, std::string_view bytes, char also = '\\');
std::string escape_bytes(std::string_view bytes, char also = '\\');

// Returns text for a terminal. Control characters, which could move the cursor or forge a line, and bytes
// that are not UTF-8 become \xHH. Everything else stays as it is, so the text cannot always be read back.
std::string printable_text(std::string_view text);

// Reverses escape_bytes(): \xHH is a byte, two backslashes are one, any other backslash is unchanged.
std::string unescape_bytes(std::string_view text);

}  // namespace bloomery
