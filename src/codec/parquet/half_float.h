// Half-precision numbers (IEEE 754 binary16): one sign bit, five exponent bits, ten fraction bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace bloomery::parquet {

// Returns the nearest half; ties round to even. Returns nothing for a finite number that would round to
// infinity, and for a nonzero number that would round to 0.
inline std::optional<std::uint16_t> half_of(double value) {
  constexpr int kFractionBits = 10;
  constexpr int kLeastExponent = -14;
  constexpr double kMost = 65504;
  const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
  const double magnitude = std::abs(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | 0x7e00U);
  }
  if (std::isinf(value) || magnitude == 0) {
    return static_cast<std::uint16_t>(sign | (magnitude == 0 ? 0U : 0x7c00U));
  }
  int exponent = 0;
  (void)std::frexp(magnitude, &exponent);
  const int scale = (exponent - 1 < kLeastExponent ? kLeastExponent : exponent - 1) - kFractionBits;
  // Counts units in the last place; rounding up may carry into the next exponent.
  const double units = std::nearbyint(std::ldexp(magnitude, -scale));
  if (units == 0 || std::ldexp(units, scale) > kMost) {
    return std::nullopt;
  }
  const auto whole = static_cast<unsigned>(units);
  const auto biased = static_cast<unsigned>(scale + kFractionBits - kLeastExponent);  // 0 if subnormal
  return static_cast<std::uint16_t>(sign | (whole + (biased << kFractionBits)));
}

}  // namespace bloomery::parquet
