// Joins texts and numbers to one sentence for errors: message("expected ", 3, " keys, found ", found).
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace bloomery {

inline void append_part(std::string& text, std::string_view part) {
  text += part;
}
void append_part(std::string& text, std::integral auto number) {
  text += std::to_string(number);
}

// Texts are copied; whole numbers are written in decimal.
template <typename... Parts>
std::string message(const Parts&... parts) {
  std::string text;
  (append_part(text, parts), ...);
  return text;
}

}  // namespace bloomery
