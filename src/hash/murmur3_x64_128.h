// MurmurHash3 x64 128, as Guava, Cassandra and many others use it.
//
// Every 16 bytes are two little-endian words that are mixed into two states. Zeros extend a tail of up to 15
// bytes. Source: Austin Appleby's MurmurHash3 (2011, public domain). Our own filters do not use it, because
// XXH3 is faster (hash128.h).
//
// Cassandra's own port extends the sign of every byte of the tail over the bytes above it. Its digests differ
// from the standard for keys that have a byte of 0x80 or more there (docs/formats/cassandra.md).
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "bloomery/hash/hash128.h"

namespace bloomery {

// Returns the digest as its two halves: `low` is h1, the first eight bytes in little-endian order, and `high`
// is h2. Both states start as `seed`.
Hash128 murmur3_x64_128(std::string_view key, std::uint64_t seed = 0);

// Returns the digest under seed 0 as Cassandra's port computes it.
Hash128 murmur3_x64_128_signed_tail(std::string_view key);

namespace murmur3 {

inline constexpr std::uint64_t kFirst = 0x87c37b91114253d5;
inline constexpr std::uint64_t kSecond = 0x4cf5ad432745937f;

constexpr std::uint64_t mixed_first(std::uint64_t word) {
  return std::rotl(word * kFirst, 31) * kSecond;
}

constexpr std::uint64_t finished(std::uint64_t state) {
  state = (state ^ (state >> 33)) * 0xff51afd7ed558ccd;
  state = (state ^ (state >> 33)) * 0xc4ceb9fe1a85ec53;
  return state ^ (state >> 33);
}

// Returns the XOR of the eight bytes of `word`, each read as a signed byte, widened to 64 bits and shifted to
// its position. So every byte of 0x80 or more flips all bytes above it.
constexpr std::uint64_t sign_extended_bytes(std::uint64_t word) {
  std::uint64_t flips = (word & 0x8080808080808080) >> 7 << 8;  // in the byte above each negative one
  flips ^= flips << 8;
  flips ^= flips << 16;
  flips ^= flips << 32;
  return word ^ flips * 0xff;
}

}  // namespace murmur3

// Returns murmur3_x64_128() of the eight bytes whose little-endian value is `word`, with seed 0.
inline Hash128 murmur3_x64_128_of_long(std::uint64_t word) {
  const std::uint64_t sum = (murmur3::mixed_first(word) ^ 8) + 8;
  const std::uint64_t first = murmur3::finished(sum);
  const std::uint64_t second = murmur3::finished(sum + 8);
  return {.low = first + second, .high = first + 2 * second};
}

}  // namespace bloomery
