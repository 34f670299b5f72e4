// The mathematics of the blocked Bloom filter: the exact fpp from bits per key, and bits per key from the
// fpp.
//
// A key sets k = 8 + e bits in a window of eight 64-bit words: two different bits in each of the first e
// words, and one bit in each of the others.
//
//   setting   the window                                            a window in the words
//   fast      is one of m/512 aligned cache lines                   |w0 w1 w2 w3 w4 w5 w6 w7|w8 w9 ...
//   dense     may start at any word, so that windows overlap         w0 [w1 w2 w3 w4 w5 w6 w7 w8] w9 ...
//
// Keys are distributed over windows as a Poisson process, so the fpp has a closed form and needs no
// simulation. A query is a false positive if none of its k bits is clear. Inclusion and exclusion over the
// clear bits yields
//
//   fpp = sum over c of  prod_i C(b_i, c_i) (-1)^c_i  *  exp(-r sum_t (1 - prod_i P(b_l, c_i)))
//
//   i         a word of the query's window
//   b_i       the number of bits in word i
//   c_i       how many of these bits are assumed to be clear
//   t         a start of key windows that touch the query's window: one for fast, -7..7 for dense
//   l         i - t, the number of word i in the key's window
//   r         keys per start
//   P(b, c)   C(64 - c, b) / C(64, b), the probability that b different bits of a word miss c given ones
//
// Aligned windows cost 1.03 to 1.41 times the fpp of k bits set anywhere in a cache line. In return a key
// is two vectors, which are made and compared without a loop.
//
// All functions are pure and safe from any thread.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"

namespace bloomery {

struct BlockedShape {
  std::uint64_t words = 0;       // of 64 bits, at least 8; for fast a multiple of 8
  std::uint32_t hash_count = 0;  // k, from 8 to 16
  BlockedSetting setting = BlockedSetting::kFast;

  std::uint64_t bits() const { return words * 64; }
  // Returns the number of positions where a window may start.
  std::uint64_t windows() const { return setting == BlockedSetting::kFast ? words / 8 : words - 7; }

  friend bool operator==(const BlockedShape&, const BlockedShape&) = default;
};

inline constexpr std::uint32_t kWindowWords = 8;
inline constexpr std::uint32_t kMinBlockedHashes = 8;
inline constexpr std::uint32_t kMaxBlockedHashes = 16;

// Errors: kInvalidArgument if a field is out of its range.
Status check_blocked_shape(const BlockedShape& shape);

// Returns the fpp at `bits_per_key` > 0 with k = `hash_count` in 8..16.
double blocked_fpp(double bits_per_key, std::uint32_t hash_count, BlockedSetting setting);

// Returns the fpp of a valid shape that holds `key_count` different keys.
double predicted_fpp(const BlockedShape& shape, std::uint64_t key_count);

// Returns the smallest shape, over all k, for `key_count` keys at `fpp`; 0 keys are sized as 1. Errors:
// kInvalidArgument for values out of the ranges of shape_for_fpp() (sizing.h), and for an fpp below 1e-10.
Result<BlockedShape> blocked_shape_for_fpp(std::uint64_t key_count, double fpp, BlockedSetting setting);

// Returns the shape of at least ceil(key_count * bits_per_key) bits with the best k. Errors:
// kInvalidArgument.
Result<BlockedShape> blocked_shape_for_bits_per_key(std::uint64_t key_count, double bits_per_key,
                                                    BlockedSetting setting);

// Returns the largest shape of at most `bytes` bytes with the best k for `fpp`. Errors: kInvalidArgument.
Result<BlockedShape> blocked_shape_for_bytes(std::uint64_t bytes, double fpp, BlockedSetting setting);

// Returns the maximal number of keys that a valid shape holds at an fpp of at most `fpp`.
std::uint64_t capacity_at(const BlockedShape& shape, double fpp);

// Returns the most likely number of different keys that set `set_bits` of the bits. Under Poisson loads a bit
// stays clear with probability exp(-q), where q is the expected number of times that it is set.
double estimated_key_count(const BlockedShape& shape, std::uint64_t set_bits);

}  // namespace bloomery
