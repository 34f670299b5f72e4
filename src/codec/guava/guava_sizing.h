// Sizes as Guava computes them, in doubles and in its order of operations.
//
//   bits  = trunc(-n ln p / (ln 2)^2), not rounded up      words = ceil(bits / 64)
//   k     = max(1, round(bits / n * ln 2))                 Guava up to 33.3
//           max(1, round(-ln p / ln 2))                    Guava from 33.4
//
// Source: docs/formats/guava.md.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery {

enum class GuavaHashCountRule { kFromBits, kFromFpp };

struct GuavaShape {
  std::uint64_t computed_bits = 0;  // before they are rounded up to words
  std::uint32_t words = 0;
  std::uint32_t hash_count = 0;
};

// Returns the shape that BloomFilter.create(funnel, capacity, fpp) makes. Errors: kInvalidArgument where
// Guava throws: fpp outside (0, 1), no bits at all, more than 2^31 - 1 words, k above 255.
Result<GuavaShape> guava_shape(std::uint64_t capacity, double fpp, GuavaHashCountRule rule);

}  // namespace bloomery
