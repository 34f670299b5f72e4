// The hash bits that the plan of a static filter keeps.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery {

inline constexpr std::uint64_t kMaxStaticKeys = std::uint64_t{1} << 46;

// Returns the least H whose collisions, at a rate of most_keys / 2^H, are below 2^-8 of the fpp, but from 56
// to 64, the limits of the format.
std::uint32_t hash_bits_for(std::uint64_t most_keys, double fpp);

// Returns hash_bits_for(), but at most `most_hash_bits`. Errors:
//
//   kInvalidArgument   unless 0 < fpp < 1, at most 2^46 keys, and fpp at least 16 key_count / 2^64
//   kCapacity          with `most_hash_bits` collisions would make half of the fpp or more
Result<std::uint32_t> checked_hash_bits(std::uint64_t key_count, double fpp, std::uint32_t most_hash_bits);

}  // namespace bloomery
