// The kernel of the textbook Bloom filter: from a hash to its bits, one key at a time and in batches.
//
// bloom_cells.h defines the positions of the bits and the batches; here a cell is a bit. Words are accessed
// as relaxed atomics. A table need not be contiguous: `words + i` is the address of word i, and `Words` may
// be a type that computes it. Not here: counts, locks, files.
#pragma once

#include <cstdint>
#include <span>

#include "base/atomic_word.h"
#include "bloomery/hash/hash128.h"
#include "filter/bloom/bloom_cells.h"

namespace bloomery {

template <typename Words>
struct BloomTableOf {
  Words words;
  std::uint64_t bits;  // m; the table has ceil(m / 64) words
  std::uint32_t hash_count;

  std::uint64_t cells() const { return bits; }
  std::uint64_t byte_size() const { return bits / 8; }
  std::uint64_t* word_of(std::uint64_t position) const { return words + position / 64; }
  std::uint64_t is_set(std::uint64_t position) const {
    return (relaxed_load(*word_of(position)) >> (position % 64)) & 1;
  }
};

using BloomTable = BloomTableOf<std::uint64_t*>;

namespace bloom_kernel {

// Implements insert() for a table of any `Words`.
template <typename Words>
bool insert_into(const BloomTableOf<Words>& table, std::uint64_t hash) {
  bloom_cells::Positions positions(table, hash);
  bool changed = false;
  for (std::uint32_t i = 0; i < table.hash_count; ++i) {
    const std::uint64_t position = positions.next();
    changed |= relaxed_set_bits(*table.word_of(position), std::uint64_t{1} << (position % 64));
  }
  return changed;
}

bool may_contain(const BloomTable& table, std::uint64_t hash);
// Inserts a key. Returns true if one of its bits was clear before.
bool insert(const BloomTable& table, std::uint64_t hash);
// Inserts a key. Precondition: no other thread uses the table.
void insert_alone(const BloomTable& table, std::uint64_t hash);
// Prefetches the cache lines of `hash` for writing.
void prefetch_for_insert(const BloomTable& table, std::uint64_t hash);

void may_contain_batch(const BloomTable& table, std::span<const Hash128> hashes, std::uint64_t* answers);
void insert_batch(const BloomTable& table, std::span<const Hash128> hashes);

// Returns true if batches prefetch in a table of this size.
bool prefetches(const BloomTable& table);

}  // namespace bloom_kernel

}  // namespace bloomery
