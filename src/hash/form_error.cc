#include "hash/form_error.h"

#include <cstddef>

namespace bloomery {
namespace {

constexpr std::size_t kShownBytes = 40;

std::string shown(std::string_view text) {
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

}  // namespace

Error not_of_form(KeyForm form, const std::string& expected, std::string_view text) {
  return Error::invalid_argument(std::string("key form ") + key_form_name(form),
                                 "expected " + expected + ", found " + shown(text));
}

}  // namespace bloomery
