#include "filter/bloom/bloom_kernel.h"

#include "filter/bloom/bloom_cells.h"

namespace bloomery::bloom_kernel {

bool prefetches(const BloomTable& table) {
  return bloom_cells::prefetches(table);
}

bool may_contain(const BloomTable& table, std::uint64_t hash) {
  return bloom_cells::may_contain(table, hash);
}

bool insert(const BloomTable& table, std::uint64_t hash) {
  return insert_into(table, hash);
}

void insert_alone(const BloomTable& table, std::uint64_t hash) {
  bloom_cells::Positions positions(table, hash);
  for (std::uint32_t i = 0; i < table.hash_count; ++i) {
    const std::uint64_t position = positions.next();
    std::uint64_t& word = *table.word_of(position);
    relaxed_store(word, relaxed_load(word) | std::uint64_t{1} << (position % 64));
  }
}

void prefetch_for_insert(const BloomTable& table, std::uint64_t hash) {
  bloom_cells::prefetch_for_update(table, hash);
}

void may_contain_batch(const BloomTable& table, std::span<const Hash128> hashes, std::uint64_t* answers) {
  bloom_cells::may_contain_batch(table, hashes, answers);
}

void insert_batch(const BloomTable& table, std::span<const Hash128> hashes) {
  bloom_cells::update_batch(table, hashes, [&](std::size_t i) { insert(table, hashes[i].low); });
}

}  // namespace bloomery::bloom_kernel
