// Sizes as in Cassandra's BloomCalculations, from a table of measured rates for 2 to 20 bits per key.
//
//   b   the fewest bits per key whose best hash count has a rate of at most p
//   k   the smallest hash count that still has such a rate with b
//   W   ceil((n b + 20) / 64)
//
// For p >= 0.393 Cassandra uses k = 2 and b = 1. With p = 1 it writes no filter. Source:
// docs/formats/cassandra.md.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery {

// The largest hash count in the table, and so in any valid file.
inline constexpr std::uint32_t kMostCassandraHashes = 14;

struct CassandraShape {
  std::uint32_t hash_count = 0;
  std::uint32_t bits_per_key = 0;
  std::uint32_t words = 0;
};

// Returns the shape of a filter for `capacity` keys. Errors: kInvalidArgument where Cassandra throws (p below
// 6.71e-05, more than 2^31 - 1 words) or writes no filter (p = 1).
Result<CassandraShape> cassandra_shape(std::uint64_t capacity, double fpp);

}  // namespace bloomery
