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
  std::size_t begin = 0;  // of the bytes that stand for themselves and are not yet written
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c > 0x20 && c < 0x7f && c != '\\' && c != also) {
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    const char code[] = {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
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
