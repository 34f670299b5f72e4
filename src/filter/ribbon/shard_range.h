// The shards of a plan as ranges of hashes. A shard has the hashes from lowest_hash_of() to highest_hash().
// Exactly these fall into it once the bits that do not count are cleared.
//
//    shard * 2^64 + place = (h & mask) * shards
//
// The ranges of neighbouring shards have no gap, and their order is that of the hashes.
#pragma once

#include <cstdint>

#include "bloomery/base/uint128.h"
#include "bloomery/filter/ribbon_sizing.h"

namespace bloomery {

// The shards [first, end).
struct ShardRange {
  std::uint32_t first;
  std::uint32_t end;
};

// Returns the mask of the leading `hash_bits` bits, those of a hash that count.
inline std::uint64_t mask_of(std::uint32_t hash_bits) {
  return ~std::uint64_t{0} << (64 - hash_bits);
}

// Returns the least hash of a shard, which is the least h with h * shards / 2^64 >= shard.
inline std::uint64_t lowest_hash(std::uint32_t shards, std::uint64_t shard) {
  const Uint128 scaled = Uint128{shard} << 64;
  return static_cast<std::uint64_t>((scaled + shards - 1) / shards);
}

// Returns the greatest hash that falls into a shard once it is masked.
inline std::uint64_t highest_hash(const RibbonShape& shape, std::uint64_t shard) {
  const std::uint64_t last =
      shard + 1 == shape.shards ? ~std::uint64_t{0} : lowest_hash(shape.shards, shard + 1) - 1;
  return last | ~mask_of(shape.hash_bits);
}

// Returns the least hash that falls into a shard once it is masked.
inline std::uint64_t lowest_hash_of(const RibbonShape& shape, std::uint64_t shard) {
  return shard == 0 ? 0 : highest_hash(shape, shard - 1) + 1;
}

}  // namespace bloomery
