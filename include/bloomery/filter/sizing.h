// The mathematics of the textbook Bloom filter: from keys and fpp to bits, and from bits back.
//
// For m bits, n keys, k hash functions and the false-positive probability p (fpp):
//
//   m = ceil(n ln(1/p) / (ln 2)^2)                             (Bloom 1970)
//   k = round(m/n ln 2) = round(log2(1/p))
//   p = (1 - (1 - 1/m)^(kn))^k
//   n = ln(1 - p^(1/k)) / (k ln(1 - 1/m))
//
// The functions compute in long double with log1p and expm1, so that m is exact for n up to 10^12. A test
// compares it with 60-digit arithmetic. A common mistake divides by 0.7 once instead of by (ln 2)^2 = 0.48.
// At n = 10^10 and p = 1e-4 that gives 131,571,428,572 bits, too few by a third, and an fpp 18 times the
// target.
//
// All functions are pure and safe from any thread.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery {

struct BloomShape {
  std::uint64_t bits = 0;        // m, at least 1; any number, not rounded to a power of two
  std::uint32_t hash_count = 0;  // k, from 1 to 255

  friend bool operator==(const BloomShape&, const BloomShape&) = default;
};

inline constexpr std::uint32_t kMaxHashCount = 255;
// No machine addresses more bits. Larger sizes are refused before anything is multiplied by them.
inline constexpr std::uint64_t kMaxBloomBits = std::uint64_t{1} << 56;

// Returns the least shape for `key_count` keys at `fpp` in (0, 1); 0 keys are sized as 1. Because k is
// rounded, the resulting fpp may be up to 6 % above or below the target. Call predicted_fpp() for its
// value.
//
// Errors, all kInvalidArgument:
//
//   - an argument is out of its range
//   - more than 2^56 bits would be needed
//   - fpp is below 16 key_count / 2^64: two keys then collide by their 64-bit hash alone, and no number of
//     bits helps
Result<BloomShape> shape_for_fpp(std::uint64_t key_count, double fpp);

// Returns ceil(key_count * bits_per_key) bits with the best k. Errors: kInvalidArgument unless 0 <
// bits_per_key.
Result<BloomShape> shape_for_bits_per_key(std::uint64_t key_count, double bits_per_key);

// Returns the shape of `bits` bits with the k that is best for `fpp`. Errors: kInvalidArgument for 0 bits.
Result<BloomShape> shape_for_bits(std::uint64_t bits, double fpp);

// Errors: kInvalidArgument unless 1 <= bits <= 2^56 and 1 <= hash_count <= 255.
Status check_shape(const BloomShape& shape);
// Errors: kInvalidArgument unless 0 < fpp < 1.
Status check_fpp(double fpp);

// Returns log2(1/fpp), the k that needs the fewest bits, before rounding.
double ideal_hash_count(double fpp);

// Returns the fpp of a valid shape that holds `key_count` distinct keys.
double predicted_fpp(const BloomShape& shape, std::uint64_t key_count);

// Returns the most distinct keys that a valid shape holds at an fpp of at most `fpp` in (0, 1).
std::uint64_t capacity_at(const BloomShape& shape, double fpp);

// Returns the fpp of a filter with k hash functions if the share `fill` in [0, 1] of its bits is set: fill^k.
double fpp_at_fill(double fill, std::uint32_t hash_count);

// Returns the most likely number of distinct keys that set X = `set_bits` of the bits (Swamidass and Baldi
// 2007). It is -m/k ln(1 - X/m). A filter with every bit set says only "at least". The result is then the
// mean number of keys that first fills it.
double estimated_key_count(const BloomShape& shape, std::uint64_t set_bits);

// Returns true if an estimated number of keys exceeds `capacity` by more than the estimate's own error. The
// error is three times the square root of the capacity, which is more than three standard deviations for
// every shape that sizing makes.
bool clearly_exceeds(double estimated_count, std::uint64_t capacity);

// The costs of a look-up whose maybe is followed by a read, in any one unit (seconds, dollars, I/Os).
struct MaybeCosts {
  double miss_rate = 0;  // share of look-ups whose key is absent, in [0, 1]
  double read = 0;       // cost of the read, per key
  double skip = 0;       // cost of the filter's answer, per key
};

// Returns the cost per look-up of a filter's errors, compared to an exact answer at the same speed:
//
//   P(absent) * fpp * (read - skip)
double wrong_maybe_cost(const MaybeCosts& costs, double fpp);

// Returns the fpp at which all false positives together cost as much as the filter's own answers:
//
//   skip / (miss_rate (read - skip))
//
// Below it, more bits can save at most what every look-up pays for asking. With a result of 1 or more, no
// filter pays.
double least_useful_fpp(const MaybeCosts& costs);

}  // namespace bloomery
