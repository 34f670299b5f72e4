// Trims, folds, parses and quotes text by bytes: ASCII only, whatever the locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <system_error>

namespace bloomery {

constexpr bool is_ascii_digit(char character) {
  return character >= '0' && character <= '9';
}

constexpr char lower_ascii(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}

// Returns the value of a hexadecimal digit of either case, or -1 for anything else.
constexpr int hex_digit(char character) {
  if (character >= '0' && character <= '9') {
    return character - '0';
  }
  const char lower = static_cast<char>(character | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Parses all of `text` as a decimal number without a plus sign. Returns nothing for other text, or on
// overflow.
template <typename Number>
std::optional<Number> number_from_text(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, value);
  return code == std::errc() && stopped == end ? std::optional(value) : std::nullopt;
}

inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

inline std::string folded(std::string_view text) {
  std::string result(text);
  for (char& character : result) {
    character = lower_ascii(character);
  }
  return result;
}

// Returns the text for a message, in quotes: cut, and with every byte escaped that is not printable ASCII.
inline std::string shown_text(std::string_view text) {
  constexpr std::size_t kShownBytes = 40;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result = "'";
  for (const char character : text.substr(0, kShownBytes)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte < 0x7f) {
      result += character;
    } else {
      result += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return result + (text.size() > kShownBytes ? "...'" : "'");
}

}  // namespace bloomery
