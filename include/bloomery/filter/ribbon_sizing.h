// The mathematics of the ribbon filter: from keys and fpp to fingerprint widths, shards and bytes.
//
//   A key is compared in r or in r + 1 fingerprint bits ("columns"), r in the share a of all places and r + 1
//   in the rest:
//
//   r = floor(log2(1/p))      a 2^-r + (1 - a) 2^-(r+1) = p      L = r + 1 - a
//
//   L is bits per key, at most 0.086 above log2(1/p); p is the asked fpp less n / 2^H, the rate at which keys
//   collide by the H leading hash bits that are kept (not less, where that is below 2^-20 of a power of two).
//   A shard holds 65,536 keys and up (sets below 131,072 keys are one shard). Beyond L it costs 0.02 bits per
//   key for what tells bumped keys and for its directory entry, and 0.2 per cent for slots that stay empty.
//
// All functions are pure and safe from any thread. ribbon_shape_for_fpp() gives the same plan on every
// machine, since it decides a file's bytes. Source: Dillinger, Huebschle-Schneider, Sanders, Walzer, "Fast
// Succinct Retrieval and Approximate Membership using Ribbon" (2022); what differs is in docs/ribbon.md.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery {

// A plan has as many shards as this goes into its keys, at least one.
inline constexpr std::uint64_t kRibbonShardKeys = 65536;
// The most fingerprint bits of the narrower width.
inline constexpr std::uint32_t kMaxRibbonColumns = 59;
inline constexpr std::uint64_t kMaxRibbonKeys = std::uint64_t{1} << 46;

struct RibbonShape {
  std::uint32_t columns = 0;    // r, the narrower width, from 0 to 59
  std::uint32_t hash_bits = 0;  // H, the leading bits of a hash that count, from 56 to 64
  std::uint32_t shards = 0;     // at least 1
  // (1 + a) 2^32, from 2^32 to 2^33: the fpp in units of the wider width's, as every shard must meet it.
  std::uint64_t scaled_fpp = 0;

  friend bool operator==(const RibbonShape&, const RibbonShape&) = default;
};

// Returns the plan for `key_count` distinct keys at `fpp`. Errors: kInvalidArgument unless 0 < fpp < 1, at
// most 2^46 keys, and fpp is at least 16 key_count / 2^64 (two keys then collide by their hash alone).
// kCapacity when `most_hash_bits`, where that is less than the plan would keep, makes half of the fpp or more
// out of collisions.
Result<RibbonShape> ribbon_shape_for_fpp(std::uint64_t key_count, double fpp,
                                         std::uint32_t most_hash_bits = 64);

// Returns the fpp whose filter of `key_count` keys takes `bits_per_key` by predicted_ribbon_bytes(), where
// those are at least 1. Errors: kInvalidArgument outside (0, 60].
Result<double> ribbon_fpp_for_bits_per_key(std::uint64_t key_count, double bits_per_key);

// Returns the hash bits that a stream of keys must keep when only a bound on their number is known: what
// ribbon_shape_for_fpp() asks for at `most_keys`.
std::uint32_t ribbon_hash_bits(std::uint64_t most_keys, double fpp);

// Returns L, the least bits per key of two neighbouring widths at `fpp` in (0, 1).
double ribbon_bound(double fpp);

// Returns about how many bytes a filter of `key_count` keys takes behind its header: to 0.2 per cent from
// 10^6 keys, 1.5 per cent from 10^4; below that seldom less than it takes.
std::uint64_t predicted_ribbon_bytes(std::uint64_t key_count, double fpp);

}  // namespace bloomery
