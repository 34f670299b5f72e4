// The query of a fuse filter that a program's own code contains, without a call: three cells of 8 or 16 bits.
// Other filters, and shards that are not verified yet, are queried by a call (fuse_filter.h).
//
// src/filter/fuse/fuse_kernel.h is the definition. The constants are on disk since format version 1.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bloomery/base/force_inline.h"
#include "bloomery/base/uint128.h"

namespace bloomery {

inline constexpr std::size_t kMaxFuseArity = 4;
// Odd multipliers that mix a key's hash.
inline constexpr std::uint64_t kFuseSeedStep = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kFuseKeyMix = 0xbf58476d1ce4e5b9;
inline constexpr std::uint64_t kFuseFingerprintMix = 0xa0761d6478bd642f;

// A key under the seed of its shard.
struct FuseKey {
  std::uint64_t y;
  std::uint64_t f;

  FuseKey(std::uint64_t hash, std::uint64_t seed_step) : FuseKey(mixed((hash + seed_step) * kFuseKeyMix)) {}
  explicit FuseKey(std::uint64_t y_) : y(y_), f(mixed(y_ * kFuseFingerprintMix)) {}

  std::uint64_t start(std::uint32_t starts) const { return ((y >> 32) * starts) >> 32; }
  // Returns the cells. The last one has no meaning if the arity is 3.
  std::array<std::uint64_t, kMaxFuseArity> cells(std::uint32_t starts, std::uint32_t segment_log) const {
    const std::uint64_t length = std::uint64_t{1} << segment_log;
    const std::uint64_t mask = length - 1;
    const std::uint64_t first = start(starts);
    return {first, (first + length) ^ (y & mask), (first + 2 * length) ^ ((y >> 18) & mask),
            (first + 3 * length) ^ ((f >> 40) & mask)};
  }

 private:
  static std::uint64_t mixed(std::uint64_t product) { return product ^ (product >> 32); }
};

// The shards of a filter, as far as the query in this file answers for them.
struct FuseQuery {
  struct Shard {
    // Null: queries need a call. All else is set before another thread can read it, so the order of this
    // store does not matter.
    std::atomic<const std::byte*> cells{nullptr};
    std::uint64_t seed_step = 0;
    std::uint32_t starts = 0;
    std::uint32_t segment_log = 0;
  };

  const Shard* shards = nullptr;  // those that the filter holds
  std::uint64_t hash_mask = 0;
  std::uint32_t shard_count = 0;  // of the complete plan
  std::uint32_t first_held = 0;
  std::uint32_t held = 0;
  std::uint32_t bits = 0;  // 8 or 16

  // Returns the number of a hash's shard among those held. It is `held` or more if it is not one of them.
  BLOOMERY_FORCE_INLINE std::uint64_t shard_of(std::uint64_t hash) const {
    return static_cast<std::uint64_t>((Uint128{hash & hash_mask} * shard_count) >> 64) - first_held;
  }
  BLOOMERY_FORCE_INLINE bool matches(const Shard& shard, const std::byte* bytes, std::uint64_t hash) const {
    const FuseKey key(hash & hash_mask, shard.seed_step);
    const auto at = key.cells(shard.starts, shard.segment_log);
    return bits == 8 ? matches_cells<std::uint8_t>(bytes, key.f, at)
                     : matches_cells<std::uint16_t>(bytes, key.f, at);
  }

 private:
  template <typename Cell>
  BLOOMERY_FORCE_INLINE static bool matches_cells(const std::byte* bytes, std::uint64_t f,
                                                  const std::array<std::uint64_t, kMaxFuseArity>& at) {
    Cell found[3];
    for (std::size_t place = 0; place < 3; ++place) {
      std::memcpy(&found[place], bytes + at[place] * sizeof(Cell), sizeof(Cell));
    }
    return static_cast<Cell>(f ^ found[0] ^ found[1] ^ found[2]) == 0;
  }
};

}  // namespace bloomery
