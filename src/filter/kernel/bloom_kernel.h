// The kernel of the textbook Bloom filter: from a hash to its bits, one key at a time and in batches.
//
//   x(0) = h, x(i+1) = x(i) * kBloomMultiplier mod 2^64, bit(i) = floor(x(i) * m / 2^64)
//
// The single-key functions are the definition; the batches give the same bits and answers. Once a table
// outgrows the second-level cache a batch asks for the lines of later keys while it works on earlier ones;
// below, it does not, since prefetching what is already there costs a quarter of a look-up. Words are
// accessed as relaxed atomics. Not here: counts, locks, files.
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/hash/hash128.h"

namespace bloomery {

inline constexpr std::uint64_t kBloomMultiplier = 0xf1357aea2e62a9c5;

struct BloomTable {
  std::uint64_t* words;
  std::uint64_t bits;  // m; `words` has ceil(m / 64)
  std::uint32_t hash_count;
};

namespace bloom_kernel {

bool may_contain(const BloomTable& table, std::uint64_t hash);
// Returns whether a bit was clear before.
bool insert(const BloomTable& table, std::uint64_t hash);
// Asks for the lines of `hash`, to be written soon.
void prefetch_for_insert(const BloomTable& table, std::uint64_t hash);

void may_contain_batch(const BloomTable& table, std::span<const Hash128> hashes, std::uint64_t* answers);
void insert_batch(const BloomTable& table, std::span<const Hash128> hashes);

// Whether batches prefetch in a table of this size.
bool prefetches(const BloomTable& table);

}  // namespace bloom_kernel

}  // namespace bloomery
