#include "base/byte_text.h"

#include <cstddef>
#include <optional>

namespace bloomery {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

std::optional<unsigned> digit_of(char c) {
  const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c + ('a' - 'A')) : c;
  const std::size_t digit = kDigits.find(lower);
  return digit == std::string_view::npos ? std::nullopt : std::optional(static_cast<unsigned>(digit));
}

}  // namespace

void append_escaped(std::string& out, std::string_view bytes, char also) {
  for (const char c : bytes) {
    if (c > 0x20 && c < 0x7f && c != '\\' && c != also) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
}

std::string escape_bytes(std::string_view bytes, char also) {
  std::string text;
  append_escaped(text, bytes, also);
  return text;
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
