// MurmurHash2 of 32 bits, for old RedisBloom filters and for HBase, and of 64 bits (MurmurHash64A), as
// RedisBloom uses it.
//
// The words of a key are little-endian, and zeros extend a tail of less than a word, four or eight bytes. In
// 32 bits the length counts modulo 2^32.
//
// HBase reads each byte of the tail as a signed number instead, so a byte of 0x80 or above sets all bits
// above its own. Everything else is the same (HBase 2.6, tests/golden/hbase).
//
// Source: Austin Appleby's MurmurHash2 (2008, public domain). Our own filters do not use it, because XXH3 is
// faster and better (hash128.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

std::uint32_t murmur2_32(std::string_view key, std::uint32_t seed);

// Returns the hash in HBase's form, with the signed tail.
std::uint32_t murmur2_32_signed_tail(std::string_view key, std::uint32_t seed);

std::uint64_t murmur64a(std::string_view key, std::uint64_t seed);

}  // namespace bloomery
