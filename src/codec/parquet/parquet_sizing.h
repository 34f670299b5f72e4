// The sizes of split-block filters by writers of Parquet.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery::parquet {

enum class SizingRule {
  kArrow,   // Arrow and parquet-java: rounds the number of bits; at most 128 MiB
  kDuckDb,  // DuckDB: rounds the number of bytes; no limit of its own
};

// Returns the bytes of the bitset for plan.capacity distinct values: a power of two, at least 32.
//   Bits per key in the plan replace the rule's own. Both rules round the result up to a power of two.
//   Errors: kInvalidArgument for an impossible plan; kCapacity above 2^30 bytes (a header has 32 bits).
Result<std::uint64_t> bitset_bytes(const DialectPlan& plan, SizingRule rule);

}  // namespace bloomery::parquet
