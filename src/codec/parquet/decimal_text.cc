#include "codec/parquet/decimal_text.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/message.h"

namespace bloomery::parquet {
namespace {

Error refused(const std::string& expected) {
  return Error::invalid_argument("decimal", expected);
}

bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char byte) { return byte >= '0' && byte <= '9'; });
}

// Returns the digits of the magnitude, without a point and without zeros at their front.
Result<std::string> unscaled_digits(std::string_view number, const LogicalType& type) {
  const auto scale = static_cast<std::size_t>(type.scale);
  const std::size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  std::string_view fraction = point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
  const bool has_both = !whole.empty() && (point == std::string_view::npos || !fraction.empty());
  if (!has_both || !all_digits(whole) || !all_digits(fraction)) {
    return refused("digits, perhaps behind a minus sign and with a point between them");
  }
  if (fraction.size() > scale) {
    if (fraction.find_first_not_of('0', scale) != std::string_view::npos) {
      return refused(message("at most ", type.scale, " digits behind the point that are not 0"));
    }
    fraction = fraction.substr(0, scale);
  }
  std::string digits(whole.substr(std::min(whole.find_first_not_of('0'), whole.size())));
  digits += fraction;
  digits.append(scale - fraction.size(), '0');
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.size() > static_cast<std::size_t>(type.precision)) {
    return refused(message("at most ", type.precision, " digits, ", type.scale, " of them behind the point"));
  }
  return digits;
}

// Returns the big-endian bytes of the number, with a byte in front whose highest bit is clear.
std::string magnitude_of(std::string_view digits) {
  std::string bytes(
      bytes_of_precision(static_cast<std::int32_t>(std::max<std::size_t>(digits.size(), 1))) + 1, '\0');
  for (const char digit : digits) {
    unsigned carry = static_cast<unsigned>(digit - '0');
    for (std::size_t i = bytes.size(); i-- > 0;) {
      carry += static_cast<unsigned char>(bytes[i]) * 10U;
      bytes[i] = static_cast<char>(carry & 0xff);
      carry >>= 8;
    }
    assert(carry == 0);
  }
  return bytes;
}

void negate(std::string& bytes) {
  unsigned carry = 1;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    carry += static_cast<unsigned char>(~static_cast<unsigned char>(bytes[i]));
    bytes[i] = static_cast<char>(carry & 0xff);
    carry >>= 8;
  }
}

bool is_negative(std::string_view value) {
  return !value.empty() && (static_cast<unsigned char>(value.front()) & 0x80U) != 0;
}

// Takes off the bytes at the front that only repeat the sign.
std::string shortest(const std::string& value) {
  std::size_t first = 0;
  const char fill = is_negative(value) ? '\xff' : '\0';
  while (first + 1 < value.size() && value[first] == fill &&
         is_negative(std::string_view(value).substr(first + 1)) == is_negative(value)) {
    ++first;
  }
  return value.substr(first);
}

}  // namespace

Result<std::string> unscaled_from_text(std::string_view text, const LogicalType& type) {
  const bool negative = text.starts_with('-');
  BLOOMERY_ASSIGN_OR_RETURN(const std::string digits, unscaled_digits(text.substr(negative ? 1 : 0), type));
  std::string bytes = magnitude_of(digits);
  if (negative) {
    negate(bytes);
  }
  return shortest(bytes);
}

std::string sign_extended(std::string_view value, std::size_t bytes) {
  assert(value.size() <= bytes);
  return std::string(bytes - value.size(), is_negative(value) ? '\xff' : '\0') + std::string(value);
}

std::size_t bytes_of_precision(std::int32_t precision) {
  return static_cast<std::size_t>(std::ceil((precision * std::log2(10.0) + 1) / 8));
}

}  // namespace bloomery::parquet
