// Converts decimal text exactly to the bytes of integers and decimals of any size.
//
//   integer_bytes()    -129           the integer
//   scaled_decimal()   -1.50, 2e6     the number and the scale that its text has, as Java's BigDecimal
//   fixed_decimal()    -1.50          the number at a given scale
//
// The bytes are the shortest two's complement of the number, highest byte first; 0 is one byte. There is no
// plus sign.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery {

// Longer numbers are refused: the cost of their conversion grows with the square of their length.
inline constexpr std::size_t kMostDecimalDigits = 10'000;

// Returns nothing for any text but an integer.
std::optional<std::string> integer_bytes(std::string_view text);

// The number is unscaled x 10^-scale.
struct ScaledDecimal {
  std::string unscaled;  // in the form of integer_bytes()
  std::int32_t scale = 0;
};

// Returns the unscaled value and the scale of a number such as -1.50 or 2e6. Trailing zeros count: 1.50 has
// the scale 2, and 2e6 the scale -6. Returns nothing for any other text.
std::optional<ScaledDecimal> scaled_decimal(std::string_view text);

// At most `precision` digits, of which the last `scale` follow the point.
struct DecimalDigits {
  std::int32_t precision;
  std::int32_t scale;
};

// Returns the value in units of 10^-scale, in the form of integer_bytes(). The text is an optional minus
// sign, digits, and an optional point with digits; it has no exponent. Fractional digits that the scale does
// not hold must be zeros. Errors: kInvalidArgument, whose detail names the expected text; the caller adds the
// type. Precondition: 0 <= scale <= precision <= kMostDecimalDigits.
Result<std::string> fixed_decimal(std::string_view text, const DecimalDigits& digits);

// Returns the value in `bytes` bytes, extended by its sign. Precondition: it is not longer than that.
std::string sign_extended(std::string_view value, std::size_t bytes);

// Returns the fewest bytes that hold every value of `precision` digits.
std::size_t bytes_of_precision(std::int32_t precision);

}  // namespace bloomery
