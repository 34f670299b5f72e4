// MurmurHash2 of 32 bits, as old RedisBloom filters use it.
//
// The words of a key are little-endian; a tail of less than four bytes is extended by zeros. The length
// enters modulo 2^32. Source: Austin Appleby's MurmurHash2 (2008, public domain). Not a hash for our own
// filters: XXH3 is faster and better (hash128.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

std::uint32_t murmur2_32(std::string_view key, std::uint32_t seed);

}  // namespace bloomery
