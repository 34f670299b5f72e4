// The mathematics of the fuse filter: from keys and fpp to fingerprint bits, shards and cells.
//
// Every key has a fingerprint of b bits, so the fpp is 2^-b. A requested fpp is rounded down to the next
// power of two, and one above 2^-4 to 2^-4. A key is the XOR of 3 cells (kFast) or 4 cells (kDense), which
// are in neighbouring segments of 2^k cells.
//
//   cells = (segments + arity - 1) 2^k
//
//    keys of a shard     cells a key, kFast     kDense
//      1,000                1.41                 1.24
//     10,000                1.22                 1.15
//    100,000                1.16                 1.10
//    from 1,000,000         1.13                 1.08
//
// A shard holds 2^20 keys or more; a set below 2^21 keys is one shard.
//
// All functions are pure and safe from any thread. They return the same plan on every machine, because the
// plan decides a file's bytes. Source: Graf and Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor
// Filters" (2022).
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"

namespace bloomery {

// A plan has floor(keys / kFuseShardKeys) shards, and at least one.
inline constexpr std::uint64_t kFuseShardKeys = std::uint64_t{1} << 20;
inline constexpr std::uint32_t kMinFuseBits = 4;
inline constexpr std::uint32_t kMaxFuseBits = 32;

struct FuseShape {
  std::uint32_t bits = 0;       // b, of a fingerprint, from 4 to 32
  std::uint32_t hash_bits = 0;  // the leading hash bits that are used, from 56 to 64
  std::uint32_t shards = 0;     // at least 1
  BlockedSetting setting = BlockedSetting::kFast;

  // Returns the number of cells of a key.
  std::uint32_t arity() const { return setting == BlockedSetting::kFast ? 3 : 4; }

  friend bool operator==(const FuseShape&, const FuseShape&) = default;
};

// Returns the plan for `key_count` distinct keys. Errors:
//
//   kInvalidArgument   unless 2^-32 <= fpp < 1, at most 2^46 keys, and fpp at least 16 key_count / 2^64
//   kCapacity          `most_hash_bits` is less than the plan needs, and collisions then make half of the fpp
//                      or more
Result<FuseShape> fuse_shape_for_fpp(std::uint64_t key_count, double fpp, BlockedSetting setting,
                                     std::uint32_t most_hash_bits = 64);

// Returns the fpp of the longest fingerprints with which a filter needs at most `bits_per_key`. Errors:
// kInvalidArgument if fingerprints of 4 bits need more.
Result<double> fuse_fpp_for_bits_per_key(std::uint64_t key_count, double bits_per_key,
                                         BlockedSetting setting);

// Returns b for an fpp in (0, 1): at least 4, and more than 32 below 2^-32.
std::uint32_t fuse_bits(double fpp);

// The cells of a shard.
struct FuseCells {
  std::uint32_t segments = 0;     // in which a key's first cell may be; 0 without keys
  std::uint32_t segment_log = 0;  // a segment has 2^segment_log cells

  friend bool operator==(const FuseCells&, const FuseCells&) = default;
};

// Returns the number of cells.
constexpr std::uint64_t fuse_cell_count(const FuseCells& cells, std::uint32_t arity) {
  return cells.segments == 0 ? 0 : (std::uint64_t{cells.segments} + arity - 1) << cells.segment_log;
}
// Returns the words of `count` cells.
constexpr std::uint64_t fuse_cell_words(std::uint64_t count, std::uint32_t bits) {
  if (count == 0 || bits == 8 || bits == 16) {
    return (count * bits + 63) / 64;
  }
  return ((count - 1) * bits / 8 + 8 + 7) / 8;
}

// Returns the cells of a shard of `key_count` keys.
FuseCells fuse_cells(std::uint64_t key_count, BlockedSetting setting);

// Returns the approximate size in bytes, without the header, of a filter of `key_count` keys.
std::uint64_t predicted_fuse_bytes(std::uint64_t key_count, double fpp, BlockedSetting setting);

}  // namespace bloomery
