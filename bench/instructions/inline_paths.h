// The questions to a blocked filter that are part of their caller, in a translation unit that is compiled for AVX2.
#pragma once

#include <cstdint>
#include <span>

#include "bench/instructions/counted.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::instructions {

// Precondition of each: the processor has AVX2.
Counted query_integers_inline(const BlockedBloomFilter& filter, std::span<const std::uint64_t> keys);
Counted query_hashes_inline(const BlockedBloomFilter& filter, std::span<const Hash128> hashes);
Counted insert_integers_inline(BlockedBloomFilter& filter, std::span<const std::uint64_t> keys);

}  // namespace bloomery::instructions
