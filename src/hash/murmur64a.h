// MurmurHash64A, as RedisBloom uses it.
//
// The words of a key are little-endian, and zeros extend a tail of less than eight bytes. Source: Austin
// Appleby's MurmurHash2 (2008, public domain). Our own filters do not use it, because XXH3 is faster and
// better (hash128.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

std::uint64_t murmur64a(std::string_view key, std::uint64_t seed);

}  // namespace bloomery
