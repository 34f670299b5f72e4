// The kernel of the counting Bloom filter: from a hash to its counters, one key at a time and in batches.
//
// counting_cells.h defines the counters of one key, and bloom_cells.h the batches.
//
// Threads: words are changed by relaxed compare-and-swap, so inserts, queries and one call of remove() may
// run together. A call of remove() checks first and then decrements. Between the two, only another
// decrementing thread could break it. Not here: the lock that excludes such threads, counts of keys, files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/hash/hash128.h"
#include "filter/bloom/counting_cells.h"

namespace bloomery {

namespace counting_kernel {

bool may_contain(const CountingTable& table, std::uint64_t hash);
// Inserts a key. Returns true if one of its counters was 0 before.
bool insert(const CountingTable& table, std::uint64_t hash);
// Decrements the counters that insert() has incremented, except saturated ones. Returns false, and changes
// nothing, if a counter is too low for the key to be in. Two calls must not run at the same time.
bool remove(const CountingTable& table, std::uint64_t hash);
// Returns an upper bound of how often a key is in: the least floor(counter / hits) over the counters that are
// not saturated, where the key hits a counter once or more. Returns nothing if all are saturated.
std::optional<std::uint32_t> count_at_most(const CountingTable& table, std::uint64_t hash);

void may_contain_batch(const CountingTable& table, std::span<const Hash128> hashes, std::uint64_t* answers);
void insert_batch(const CountingTable& table, std::span<const Hash128> hashes);

// Count the counters in the words that are not 0, and those that are saturated.
std::uint64_t count_non_zero(std::span<const std::uint64_t> words);
std::uint64_t count_saturated(std::span<const std::uint64_t> words);
// Adds counters to counters, up to saturation. No other thread may change them meanwhile. Precondition: spans
// of one size.
void add(std::span<std::uint64_t> words, std::span<const std::uint64_t> other);
// Saturates every counter that is not 0. No other thread may change them meanwhile.
void saturate(std::span<std::uint64_t> words);

}  // namespace counting_kernel

}  // namespace bloomery
