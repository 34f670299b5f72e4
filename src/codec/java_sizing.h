// The formulas with which Guava and Spark size a filter, in doubles and in their order of operations, so that
// the bits and k equal those of the JVM.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace bloomery {

inline constexpr std::uint32_t kMaxJavaWords = 2147483647;  // the limit of an array of long

// Returns optimalNumOfBits(): -n ln p / (ln 2)^2 without its fraction. It may be 0, or larger
// than any filter.
inline double java_optimal_bits(double keys, double fpp) {
  return std::trunc(-keys * std::log(fpp) / (std::numbers::ln2 * std::numbers::ln2));
}

// Returns Math.round(): a fraction of one half is rounded up.
inline double java_round(double value) {
  return std::floor(value + 0.5);
}

// Returns m / n ln 2, which is rounded to k.
inline double java_ideal_hash_count(double bits, double keys) {
  return bits / keys * std::numbers::ln2;
}

}  // namespace bloomery
