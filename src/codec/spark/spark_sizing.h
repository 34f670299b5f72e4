// Sizes as Spark's BloomFilter.create() computes them.
//
//   bits  = trunc(-n ln p / (ln 2)^2), or the number that the caller passes      W = ceil(bits / 64)
//   k     = max(1, round(bits / n ln 2))
//
// k follows from the bits before they are rounded up to words. Source: docs/formats/spark.md.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery {

struct SparkShape {
  std::uint64_t computed_bits = 0;  // before they are rounded up to words
  std::uint32_t words = 0;
  std::uint32_t hash_count = 0;
};

// Returns the shape that create(capacity, fpp) makes. Errors: kInvalidArgument where Spark throws: no keys,
// fpp outside (0, 1), no bits at all, more than 2^31 - 1 words.
Result<SparkShape> spark_shape(std::uint64_t capacity, double fpp);
// Returns the shape that create(capacity, bits) makes. Errors: kInvalidArgument where Spark throws.
Result<SparkShape> spark_shape_of_bits(std::uint64_t capacity, std::uint64_t bits);

}  // namespace bloomery
