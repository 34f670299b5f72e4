// The mathematics of the ribbon filter: from keys and fpp to fingerprint widths, shards and bytes.
//
// A query compares r or r + 1 fingerprint bits ("columns") of a key: r in the share a of all positions, and
// r + 1 in the others. L is the bits per key:
//
//   r = floor(log2(1/p))
//   p = a 2^-r + (1 - a) 2^-(r+1)
//   L = r + 1 - a                     at most 0.086 above log2(1/p)
//
// A filter keeps the H leading bits of a hash, and n keys collide in them at the rate n / 2^H. p is the
// target fpp minus this rate. The rate is not subtracted if it is below 2^-20 of a power of two.
//
// A shard holds 65,536 keys or more; a set below 131,072 keys is one shard. Beyond L a key costs 0.02 bits,
// which encode bumped keys and the shard's directory entry, and 0.2 per cent for slots that stay empty.
//
// All functions are pure and safe from any thread. ribbon_shape_for_fpp() returns the same plan on every
// machine, because the plan decides a file's bytes.
//
// Source: Dillinger, Huebschle-Schneider, Sanders, Walzer, "Fast Succinct Retrieval and Approximate
// Membership using Ribbon" (2022). docs/ribbon.md says what differs.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery {

// A plan has floor(keys / kRibbonShardKeys) shards, and at least one.
inline constexpr std::uint64_t kRibbonShardKeys = 65536;
// The maximal number of fingerprint bits of the narrower width.
inline constexpr std::uint32_t kMaxRibbonColumns = 59;
inline constexpr std::uint64_t kMaxRibbonKeys = std::uint64_t{1} << 46;

struct RibbonShape {
  std::uint32_t columns = 0;    // r, the narrower width, from 0 to 59
  std::uint32_t hash_bits = 0;  // H, the leading hash bits that are used, from 56 to 64
  std::uint32_t shards = 0;     // at least 1
  // (1 + a) 2^32, from 2^32 to 2^33: the fpp that every shard must meet, in units of the wider width's fpp.
  std::uint64_t scaled_fpp = 0;

  friend bool operator==(const RibbonShape&, const RibbonShape&) = default;
};

// Returns the plan for `key_count` distinct keys at `fpp`. Errors:
//
//   kInvalidArgument   unless 0 < fpp < 1, at most 2^46 keys, and fpp at least 16 key_count / 2^64: below
//                      that, two keys collide by their hash alone
//   kCapacity          `most_hash_bits` is less than the plan needs, and collisions then make half of the fpp
//                      or more
Result<RibbonShape> ribbon_shape_for_fpp(std::uint64_t key_count, double fpp,
                                         std::uint32_t most_hash_bits = 64);

// Returns the fpp at which a filter of `key_count` keys needs `bits_per_key` by predicted_ribbon_bytes(),
// if these are at least 1. Errors: kInvalidArgument outside (0, 60].
Result<double> ribbon_fpp_for_bits_per_key(std::uint64_t key_count, double bits_per_key);

// Returns the hash bits that a stream of keys must keep if only an upper bound of their number is known.
// ribbon_shape_for_fpp() needs these bits at `most_keys`.
std::uint32_t ribbon_hash_bits(std::uint64_t most_keys, double fpp);

// Returns L, the least bits per key of two neighbouring widths at `fpp` in (0, 1).
double ribbon_bound(double fpp);

// Returns the approximate size in bytes, without the header, of a filter of `key_count` keys. The error is
// 0.2 per cent from 10^6 keys and 1.5 per cent from 10^4 keys; below that the result is seldom too small.
std::uint64_t predicted_ribbon_bytes(std::uint64_t key_count, double fpp);

}  // namespace bloomery
