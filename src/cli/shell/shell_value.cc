#include "cli/shell/shell_value.h"

#include <array>
#include <charconv>
#include <cmath>

namespace bloomery::cli {
namespace {

// As Ruby prints it: always with a point, and with an exponent below 1e-4 and from 1e16 on.
std::string text_of_float(double number) {
  const double size = std::fabs(number);
  const bool is_plain = size == 0 || (size >= 1e-4 && size < 1e16);
  std::array<char, 64> room{};
  const auto end = std::to_chars(room.data(), room.data() + room.size(), number,
                                 is_plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(room.data(), end.ptr);
  if (text.find('.') == std::string::npos) {
    text.insert(std::min(text.find('e'), text.size()), ".0");
  }
  return text;
}

}  // namespace

std::string text_of(const ShellValue& value) {
  if (const auto* const text = value.get_if<std::string>()) {
    return *text;
  }
  if (const auto* const number = value.get_if<std::int64_t>()) {
    return std::to_string(*number);
  }
  if (const auto* const number = value.get_if<double>()) {
    return text_of_float(*number);
  }
  const auto* const truth = value.get_if<bool>();
  return truth == nullptr ? "" : *truth ? "true" : "false";
}

std::string_view kind_of(const ShellValue& value) {
  constexpr std::array<std::string_view, 7> kKinds = {
      "nil", "a truth value", "a whole number", "a fraction", "a text", "a list", "a hash"};
  return kKinds[value.content.index()];
}

}  // namespace bloomery::cli
