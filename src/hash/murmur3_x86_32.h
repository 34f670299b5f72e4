// MurmurHash3 x86 32, which HBase uses if its configuration says murmur3, and the variant of Spark's
// sketches.
//
// Every four bytes are a little-endian word that is mixed into one state. The two differ in a tail of up to
// three bytes:
//
//   murmur3_x86_32         zeros extend the tail to a word, which is mixed without the last step of a round
//   spark_murmur3_x86_32   each byte of the tail is a word by itself, sign-extended, with a full round
//
// So they agree on keys whose length is a multiple of four. Source: Austin Appleby's MurmurHash3 (2011,
// public domain); for the variant, the outputs of org.apache.spark.util.sketch of Spark 3.5 to 4.1. Our own
// filters do not use it, because XXH3 is faster and better (hash128.h).
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "base/endian.h"

namespace bloomery {

std::uint32_t murmur3_x86_32(std::string_view key, std::uint32_t seed);

namespace murmur3_32 {

constexpr std::uint32_t mixed(std::uint32_t word) {
  return std::rotl(word * 0xcc9e2d51, 15) * 0x1b873593;
}

constexpr std::uint32_t with_word(std::uint32_t hash, std::uint32_t word) {
  return std::rotl(hash ^ mixed(word), 13) * 5 + 0xe6546b64;
}

constexpr std::uint32_t finished(std::uint32_t hash, std::uint32_t key_size) {
  hash ^= key_size;
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return hash ^ hash >> 16;
}

}  // namespace murmur3_32

std::uint32_t spark_murmur3_x86_32(std::string_view key, std::uint32_t seed);

// Returns the hash of the eight bytes whose little-endian value is `word`. It is equal in both variants.
constexpr std::uint32_t murmur3_x86_32_of_long(std::uint64_t word, std::uint32_t seed) {
  using namespace murmur3_32;
  return finished(
      with_word(with_word(seed, static_cast<std::uint32_t>(word)), static_cast<std::uint32_t>(word >> 32)),
      8);
}

}  // namespace bloomery
