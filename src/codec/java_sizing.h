// The formulas with which Guava and Spark size a filter, in doubles and in their order of operations. They
// give the same bits and the same k as the JVM does.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace bloomery {

inline constexpr std::uint32_t kMaxJavaWords = 2147483647;  // of an array of long

// Returns optimalNumOfBits(): -n ln p / (ln 2)^2 without its fraction. It may be 0, or larger than any filter.
inline double java_optimal_bits(double keys, double fpp) {
  return std::trunc(-keys * std::log(fpp) / (std::numbers::ln2 * std::numbers::ln2));
}

// Returns Math.round(): half a number is rounded up.
inline double java_round(double value) {
  return std::floor(value + 0.5);
}

// Returns m / n ln 2, of which the rounded value is k.
inline double java_ideal_hash_count(double bits, double keys) {
  return bits / keys * std::numbers::ln2;
}

}  // namespace bloomery
