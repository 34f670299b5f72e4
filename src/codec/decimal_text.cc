#include "codec/decimal_text.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "base/message.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, is_ascii_digit);
}
bool are_digits(std::string_view text) {
  return !text.empty() && text.size() <= kMostDecimalDigits && all_digits(text);
}

// Returns the value of the digits, lowest byte first, without its highest bytes of 0.
std::vector<std::uint8_t> magnitude_of(std::string_view digits) {
  constexpr std::size_t kDigitsAPiece = 9;
  std::vector<std::uint32_t> words;  // the lowest first
  while (!digits.empty()) {
    const std::size_t count = std::min(digits.size(), kDigitsAPiece);
    std::uint64_t carry = 0;
    std::uint64_t factor = 1;
    for (const char digit : digits.substr(0, count)) {
      carry = carry * 10 + static_cast<std::uint64_t>(digit - '0');
      factor *= 10;
    }
    for (std::uint32_t& word : words) {
      carry += word * factor;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    words.push_back(static_cast<std::uint32_t>(carry));
    digits.remove_prefix(count);
  }
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : words) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    }
  }
  while (!bytes.empty() && bytes.back() == 0) {
    bytes.pop_back();
  }
  return bytes;
}

std::string twos_complement(bool negative, std::string_view digits) {
  std::vector<std::uint8_t> bytes = magnitude_of(digits);
  bytes.push_back(0);  // room for the sign
  if (negative) {
    unsigned carry = 1;
    for (std::uint8_t& byte : bytes) {
      carry += static_cast<std::uint8_t>(~byte);
      byte = static_cast<std::uint8_t>(carry);
      carry >>= 8;
    }
  }
  // Drops the highest byte if it only repeats the sign bit of the next byte.
  const auto repeats_sign = [&bytes] {
    const std::uint8_t sign = (bytes[bytes.size() - 2] & 0x80) != 0 ? 0xff : 0;
    return bytes.back() == sign;
  };
  while (bytes.size() > 1 && repeats_sign()) {
    bytes.pop_back();
  }
  return {bytes.rbegin(), bytes.rend()};
}

bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative ? 1 : 0);
  return negative;
}

Error refused(const std::string& expected) {
  return Error::invalid_argument("decimal", expected);
}

// Returns the digits of a magnitude in units of 10^-scale, without leading zeros.
Result<std::string> unscaled_digits(std::string_view number, const DecimalDigits& type) {
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

}  // namespace

std::optional<std::string> integer_bytes(std::string_view text) {
  const bool negative = take_sign(text);
  return are_digits(text) ? std::optional(twos_complement(negative, text)) : std::nullopt;
}

std::optional<ScaledDecimal> scaled_decimal(std::string_view text) {
  const bool negative = take_sign(text);
  std::int64_t scale = 0;
  if (const std::size_t mark = text.find_first_of("eE"); mark != std::string_view::npos) {
    std::string_view exponent = text.substr(mark + 1);
    exponent.remove_prefix(
        exponent.starts_with('+') && exponent.size() > 1 && is_ascii_digit(exponent[1]) ? 1 : 0);
    const auto value = number_from_text<std::int32_t>(exponent);
    if (!value) {
      return std::nullopt;
    }
    scale = -std::int64_t{*value};
    text = text.substr(0, mark);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  if (point < text.size()) {
    const std::string_view fraction = text.substr(point + 1);
    digits += fraction;
    scale += static_cast<std::int64_t>(fraction.size());
  }
  using Limits = std::numeric_limits<std::int32_t>;
  if (!are_digits(digits) || scale < Limits::min() || scale > Limits::max()) {
    return std::nullopt;
  }
  return ScaledDecimal{.unscaled = twos_complement(negative, digits),
                       .scale = static_cast<std::int32_t>(scale)};
}

Result<std::string> fixed_decimal(std::string_view text, const DecimalDigits& digits) {
  const bool negative = take_sign(text);
  BLOOMERY_ASSIGN_OR_RETURN(const std::string unscaled, unscaled_digits(text, digits));
  return twos_complement(negative, unscaled);
}

std::string sign_extended(std::string_view value, std::size_t bytes) {
  assert(value.size() <= bytes);
  const bool is_negative = !value.empty() && (static_cast<unsigned char>(value.front()) & 0x80U) != 0;
  return std::string(bytes - value.size(), is_negative ? '\xff' : '\0') + std::string(value);
}

std::size_t bytes_of_precision(std::int32_t precision) {
  return static_cast<std::size_t>(std::ceil((precision * std::log2(10.0) + 1) / 8));
}

}  // namespace bloomery
