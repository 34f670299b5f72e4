// Hashes keys of at most eight bytes under HashId::kMix8Xxh3: two multiplications for the word that filters
// use.
//
//   v      = the key's bytes as a little-endian number
//   n      = the number of the key's bytes, 0 to 8
//   x      = v xor base(seed) xor (8 - n) * kLengthStep
//   p      = x * kFirst, a product of 128 bits
//   low    = (p mod 2^64 xor floor(p / 2^64)) * kSecond mod 2^64
//   high   = scrambled(p mod 2^64 + n)
//
//   base(seed) = kBase xor scrambled(seed)
//
// scrambled() is a bijection of 64-bit words that leaves 0 unchanged.
//
// A single folded multiplication maps keys at even steps to hashes at nearly even steps. A blocked filter
// of such keys then has up to five times the fpp of the model. The second multiplication prevents this. For
// sequential, strided, shifted and random keys the fpp is that of random hashes, within the noise of 10^5
// false positives (tests/hash/short_key_mix_test.cc).
//
// Two different keys of one length never have the same `high`, since every step from v to it is a bijection.
//
// Limits: the hash does not resist keys chosen by someone who knows the seed; HashId::kSipHash does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/base/force_inline.h"
#include "bloomery/base/uint128.h"

namespace bloomery::short_key_mix {

inline constexpr std::size_t kMaxBytes = 8;

// These numbers decide the hashes of HashId 3 in files, so they never change.
inline constexpr std::uint64_t kBase = 0x1cad21f72c81017c;
inline constexpr std::uint64_t kLengthStep = 0xc2b2ae3d27d4eb4f;
inline constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kSecond = 0xd6e8feb86659fd93;

constexpr std::uint64_t scrambled(std::uint64_t word) {
  word = (word ^ (word >> 32)) * 0xe9846af9b1a615dd;
  word = (word ^ (word >> 29)) * 0x9fb21c651e98df25;
  return word ^ (word >> 32);
}

// Returns the word that is combined with all keys under one seed.
constexpr std::uint64_t base(std::uint64_t seed) {
  return kBase ^ scrambled(seed);
}

// Returns the 128-bit product from which both words of a hash are made.
BLOOMERY_FORCE_INLINE constexpr Uint128 product(std::uint64_t value, std::size_t size, std::uint64_t base) {
  return Uint128{value ^ base ^ ((kMaxBytes - size) * kLengthStep)} * kFirst;
}

// Returns the low word of the hash of `size` <= 8 bytes whose little-endian value is `value`. Costs about 1
// ns.
BLOOMERY_FORCE_INLINE constexpr std::uint64_t low_word(std::uint64_t value, std::size_t size,
                                                       std::uint64_t base) {
  const Uint128 whole = product(value, size, base);
  return (static_cast<std::uint64_t>(whole) ^ static_cast<std::uint64_t>(whole >> 64)) * kSecond;
}

// Returns the high word of the same hash.
BLOOMERY_FORCE_INLINE constexpr std::uint64_t high_word(std::uint64_t value, std::size_t size,
                                                        std::uint64_t base) {
  return scrambled(static_cast<std::uint64_t>(product(value, size, base)) + size);
}

// Returns the little-endian value of `size` <= 8 bytes. Reads no other bytes.
BLOOMERY_FORCE_INLINE std::uint64_t value_of(const void* bytes, std::size_t size) {
  const auto* const at = static_cast<const unsigned char*>(bytes);
  const auto little = [at](std::size_t offset, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {  // one load if the machine is little-endian
      value |= std::uint64_t{at[offset + i]} << (8 * i);
    }
    return value;
  };
  if (size >= 4) {  // two halves that may overlap: equal bytes have equal positions
    return little(0, 4) | little(size - 4, 4) << (8 * (size - 4));
  }
  if (size == 0) {
    return 0;
  }
  return std::uint64_t{at[0]} | std::uint64_t{at[size / 2]} << (8 * (size / 2)) |
         std::uint64_t{at[size - 1]} << (8 * (size - 1));
}

}  // namespace bloomery::short_key_mix
