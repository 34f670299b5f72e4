// MurmurHash2 of 32 bits, as old RedisBloom filters use it, and as HBase does.
//
// The words of a key are little-endian; a tail of less than four bytes is extended by zeros. The length
// enters modulo 2^32. Source: Austin Appleby's MurmurHash2 (2008, public domain). HBase takes each byte of
// the tail as a signed number instead, so that one of 0x80 or above sets all bits above its own; everything
// else is alike (HBase 2.6, tests/golden/hbase). Not a hash for our own filters: XXH3 is faster and better
// (hash128.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

std::uint32_t murmur2_32(std::string_view key, std::uint32_t seed);

// HBase's form, with the signed tail.
std::uint32_t murmur2_32_signed_tail(std::string_view key, std::uint32_t seed);

}  // namespace bloomery
