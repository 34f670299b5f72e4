#include "keys/url/percent_encoding.h"

#include "hash/ascii_text.h"

namespace bloomery {

int triplet_value(std::string_view text, std::size_t at) {
  if (text.size() - at < 3) {
    return -1;
  }
  const int high = hex_digit(text[at + 1]);
  const int low = hex_digit(text[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

void append_triplet(std::string& out, unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
}

bool append_normalized(std::string& out, std::string_view text, std::uint8_t allowed) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && (url_class(text[end]) & allowed) != 0) {
      ++end;
    }
    out.append(text, i, end - i);
    i = end;
    if (i == text.size()) {
      break;
    }
    if (text[i] == '%') {
      const int value = triplet_value(text, i);
      if (value < 0) {
        return false;
      }
      if (const char character = static_cast<char>(value); url_class(character) == kUnreserved) {
        out += character;
      } else {
        append_triplet(out, static_cast<unsigned char>(value));
      }
      i += 3;
    } else {
      if (url_class(text[i]) == kControl) {
        return false;
      }
      append_triplet(out, static_cast<unsigned char>(text[i]));
      ++i;
    }
  }
  return true;
}

void fold_normalized(std::string& text, std::size_t begin) {
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '%') {
      i += 2;
    } else {
      text[i] = lower_ascii(text[i]);
    }
  }
}

}  // namespace bloomery
