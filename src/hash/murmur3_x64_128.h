// MurmurHash3 x64 128, as Guava, Cassandra and many others use it.
//
// Every 16 bytes are two little-endian words that are mixed into two states. Zeros extend a tail of up to 15
// bytes. Source: Austin Appleby's MurmurHash3 (2011, public domain). Our own filters do not use it, because
// XXH3 is faster (hash128.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "bloomery/hash/hash128.h"

namespace bloomery {

// Returns the digest as its two halves: `low` is h1, the first eight bytes in little-endian order, and `high`
// is h2. Both states start as `seed`.
Hash128 murmur3_x64_128(std::string_view key, std::uint64_t seed = 0);

}  // namespace bloomery
