// Decimal text as the bytes of integers and decimals of any size, as Java's BigInteger and BigDecimal make them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

// Longer numbers are refused: their conversion takes time that grows with the square of their length.
inline constexpr std::size_t kMostDecimalDigits = 10'000;

// Returns the shortest two's complement of an integer such as -129, highest byte first; 0 is one byte. Returns nothing
// for any other text.
std::optional<std::string> integer_bytes(std::string_view text);

// The number is unscaled x 10^-scale.
struct ScaledDecimal {
  std::string unscaled;  // like integer_bytes()
  std::int32_t scale = 0;
};

// Returns the parts of a number such as -1.50 or 2e6. Zeros at the end count: 1.50 has the scale 2, and 2e6 the scale
// -6. Returns nothing for any other text.
std::optional<ScaledDecimal> scaled_decimal(std::string_view text);

}  // namespace bloomery
