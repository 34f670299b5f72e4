// The counters of one key in a counting Bloom filter: increments, decrements and reads.
//
// bloom_cells.h defines the positions of the counters. A cell is a counter of 4 bits, 16 to a word:
//
//    counter i   bits 4 (i mod 16) to 4 (i mod 16) + 3 of word i / 16
//
// A counter at 15 is saturated: it means 15 or more, and is never decremented again. A key increments the
// counter at each of its k positions, so a position that it hits t times gets t.
//
// A table need not be contiguous: `words + i` is the address of word i, and `Words` may be a type that
// computes it.
//
// Threads: inserts, queries and one call of remove() may run together. counting_kernel.h has these functions
// for contiguous tables.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/atomic_word.h"
#include "bloomery/filter/sizing.h"
#include "filter/bloom/bloom_cells.h"

namespace bloomery {

inline constexpr std::uint64_t kCounterBits = 4;
inline constexpr std::uint64_t kCountersPerWord = 64 / kCounterBits;
inline constexpr std::uint64_t kSaturated = 15;

template <typename Words>
struct CountingTableOf {
  Words words;
  std::uint64_t counters;  // m; the table has ceil(m / 16) words
  std::uint32_t hash_count;

  std::uint64_t cells() const { return counters; }
  std::uint64_t byte_size() const { return counters / 2; }
  std::uint64_t* word_of(std::uint64_t position) const { return words + position / kCountersPerWord; }
  static std::uint64_t shift_of(std::uint64_t position) { return position % kCountersPerWord * kCounterBits; }
  std::uint64_t counter(std::uint64_t position) const {
    return (relaxed_load(*word_of(position)) >> shift_of(position)) & kSaturated;
  }
  std::uint64_t is_set(std::uint64_t position) const { return counter(position) != 0 ? 1 : 0; }
};

using CountingTable = CountingTableOf<std::uint64_t*>;

namespace counting_cells {

// The different positions of one key, each with the number of times that the key hits it.
class Hits {
 public:
  template <typename Words>
  Hits(const CountingTableOf<Words>& table, std::uint64_t hash) : count_(table.hash_count) {
    bloom_cells::Positions positions(table, hash);
    std::generate_n(positions_.begin(), count_, [&positions] { return positions.next(); });
    std::sort(positions_.begin(), positions_.begin() + count_);
  }

  // Calls visit(position, hits) for each position until a call returns false. Returns true if none did.
  template <typename Visit>
  bool all_of(Visit visit) const {
    for (std::uint32_t begin = 0, end = 0; begin < count_; begin = end) {
      while (end < count_ && positions_[end] == positions_[begin]) {
        ++end;
      }
      if (!visit(positions_[begin], std::uint64_t{end - begin})) {
        return false;
      }
    }
    return true;
  }

 private:
  std::array<std::uint64_t, kMaxHashCount> positions_;
  std::uint32_t count_;
};

// Changes one counter to next(counter), unless it has that value already. Returns its value before.
template <typename Words, typename Next>
std::uint64_t change(const CountingTableOf<Words>& table, std::uint64_t position, Next next) {
  std::uint64_t& word = *table.word_of(position);
  const std::uint64_t shift = CountingTableOf<Words>::shift_of(position);
  std::uint64_t found = relaxed_load(word);
  while (true) {
    const std::uint64_t counter = (found >> shift) & kSaturated;
    const std::uint64_t wanted = next(counter);
    if (wanted == counter || relaxed_replace(word, found, found ^ ((counter ^ wanted) << shift))) {
      return counter;
    }
  }
}

template <typename Words>
bool holds(const CountingTableOf<Words>& table, const Hits& hits) {
  return hits.all_of([&table](std::uint64_t position, std::uint64_t times) {
    const std::uint64_t counter = table.counter(position);
    return counter == kSaturated || counter >= times;
  });
}

// Inserts a key. Returns true if one of its counters was 0 before.
template <typename Words>
bool insert(const CountingTableOf<Words>& table, std::uint64_t hash) {
  bloom_cells::Positions positions(table, hash);
  bool found_zero = false;
  for (std::uint32_t i = 0; i < table.hash_count; ++i) {
    const auto raised = [](std::uint64_t counter) { return std::min(counter + 1, kSaturated); };
    found_zero |= change(table, positions.next(), raised) == 0;
  }
  return found_zero;
}

// Decrements the counters that insert() has incremented, except saturated ones. Returns false, and changes
// nothing, if a counter is too low for the key to be in. Two calls must not run at the same time.
template <typename Words>
bool remove(const CountingTableOf<Words>& table, std::uint64_t hash) {
  const Hits hits(table, hash);
  if (!holds(table, hits)) {
    return false;
  }
  hits.all_of([&table](std::uint64_t position, std::uint64_t times) {
    change(table, position,
           [times](std::uint64_t counter) { return counter == kSaturated ? counter : counter - times; });
    return true;
  });
  return true;
}

// Returns an upper bound of how often a key is in: the least floor(counter / hits) over the counters that are
// not saturated. Returns nothing if all are saturated.
template <typename Words>
std::optional<std::uint32_t> count_at_most(const CountingTableOf<Words>& table, std::uint64_t hash) {
  std::uint64_t least = kSaturated;
  Hits(table, hash).all_of([&](std::uint64_t position, std::uint64_t times) {
    const std::uint64_t counter = table.counter(position);
    least = counter == kSaturated ? least : std::min(least, counter / times);
    return true;
  });
  return least == kSaturated ? std::nullopt : std::optional(static_cast<std::uint32_t>(least));
}

}  // namespace counting_cells

}  // namespace bloomery
