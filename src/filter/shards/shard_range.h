// The shards of a plan as ranges of hashes. A shard has the hashes from lowest_hash_of() to highest_hash().
// Exactly these fall into it once the bits that do not count are cleared.
//
//    shard * 2^64 + place = (h & mask) * shards
//
// The ranges of neighbouring shards have no gap, and their order is that of the hashes.
#pragma once

#include <cstdint>

#include "bloomery/base/uint128.h"

namespace bloomery {

// How a plan cuts the hashes.
struct ShardCut {
  std::uint32_t hash_bits = 64;  // the leading bits that count
  std::uint32_t shards = 1;
};

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
inline std::uint64_t highest_hash(const ShardCut& cut, std::uint64_t shard) {
  const std::uint64_t last =
      shard + 1 == cut.shards ? ~std::uint64_t{0} : lowest_hash(cut.shards, shard + 1) - 1;
  return last | ~mask_of(cut.hash_bits);
}

// Returns the shard of a masked hash: its bits after the first cut.hash_bits are 0.
inline std::uint32_t shard_of(const ShardCut& cut, std::uint64_t masked) {
  return static_cast<std::uint32_t>((Uint128{masked} * cut.shards) >> 64);
}

// Returns the least hash that falls into a shard once it is masked.
inline std::uint64_t lowest_hash_of(const ShardCut& cut, std::uint64_t shard) {
  return shard == 0 ? 0 : highest_hash(cut, shard - 1) + 1;
}

}  // namespace bloomery
