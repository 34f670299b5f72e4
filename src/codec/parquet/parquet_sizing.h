// How many bytes writers of Parquet give a split-block filter.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery::parquet {

enum class SizingRule {
  kArrow,   // and parquet-java: rounds bits, at most 128 MiB
  kDuckDb,  // rounds bytes, without a limit of its own
};

// Returns the bytes of the bitset for plan.capacity distinct values: a power of two, at least 32. With bits
// per key these take the place of the rule's own; rounded up they are all the same.
//   Errors: kInvalidArgument for an impossible plan; kCapacity above 2^30 bytes (a header has 32 bits).
Result<std::uint64_t> bitset_bytes(const DialectPlan& plan, SizingRule rule);

}  // namespace bloomery::parquet
