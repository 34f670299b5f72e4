// Joins texts and numbers to one sentence for errors: message("expected ", 3, " keys, found ", found).
#pragma once

#include <array>
#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

namespace bloomery {

inline void append_part(std::string& text, std::string_view part) {
  text += part;
}
void append_part(std::string& text, std::integral auto number) {
  text += std::to_string(number);
}
inline void append_part(std::string& text, double number) {
  std::array<char, 32> digits{};  // %g writes at most 13 characters
  (void)std::snprintf(digits.data(), digits.size(), "%g", number);
  text += digits.data();
}

// Texts are copied. Integers are written in decimal, other numbers with six digits, such as 1e-07.
template <typename... Parts>
std::string message(const Parts&... parts) {
  std::string text;
  (append_part(text, parts), ...);
  return text;
}

}  // namespace bloomery
