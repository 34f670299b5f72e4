#include "base/byte_text.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace bloomery {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

std::optional<unsigned> digit_of(char c) {
  const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c + ('a' - 'A')) : c;
  const std::size_t digit = kHexDigits.find(lower);
  return digit == std::string_view::npos ? std::nullopt : std::optional(static_cast<unsigned>(digit));
}

// Returns how many bytes at the front of `text`, which is not empty, are one printable character. Returns 0
// if there is none.
std::size_t printable_length(std::string_view text) {
  const auto byte_at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte_at(0);
  if (first < 0x80) {
    return first >= 0x20 && first != 0x7f ? 1 : 0;
  }
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) {
    return 0;
  }
  unsigned code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(i) & 0xc0) != 0x80) {
      return 0;
    }
    code = code << 6 | (byte_at(i) & 0x3f);
  }
  constexpr unsigned kLeast[] = {0xa0, 0x800, 0x10000};  // for 2, 3, 4 bytes; below 0xa0 are controls
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  // Characters that reverse the direction of text could hide the other text.
  const bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return code < kLeast[length - 2] || code > 0x10ffff || is_surrogate || turns ? 0 : length;
}

}  // namespace

void append_escaped(std::string& out, std::string_view bytes, char also) {
  std::size_t begin = 0;  // the first byte that is not yet written
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c > 0x20 && c < 0x7f && c != '\\' && c != also) {
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    const char code[] = {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    out.append(bytes, begin, i - begin).append(code, sizeof(code));
    begin = i + 1;
  }
  out.append(bytes, begin);
}

std::string escape_bytes(std::string_view bytes, char also) {
  std::string text;
  append_escaped(text, bytes, also);
  return text;
}

std::string printable_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    if (length != 0) {
      out += text.substr(0, length);
    } else {
      append_escaped(out, text.substr(0, 1));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string unescape_bytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x') {
      const auto high = digit_of(text[i + 2]);
      const auto low = digit_of(text[i + 3]);
      if (high && low) {
        bytes += static_cast<char>(*high << 4 | *low);
        i += 3;
        continue;
      }
    }
    if (text.substr(i, 2) == "\\\\") {
      ++i;
    }
    bytes += text[i];
  }
  return bytes;
}

}  // namespace bloomery
