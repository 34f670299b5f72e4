// MurmurHash64A, as RedisBloom uses it.
//
// The words of a key are little-endian; a tail of less than eight bytes is extended by zeros. Source: Austin
// Appleby's MurmurHash2 (2008, public domain). Not a hash for our own filters: XXH3 is faster and better
// (hash128.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

std::uint64_t murmur64a(std::string_view key, std::uint64_t seed);

}  // namespace bloomery
