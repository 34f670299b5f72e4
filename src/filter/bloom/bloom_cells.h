// The shared code of the kernels of the textbook and of the counting Bloom filter: a table of m cells, of
// which every key has k. It computes the positions of a key's cells, and tests for one key or a batch whether
// all of them are set.
//
//    x(0) = h     x(i+1) = x(i) * kBloomMultiplier mod 2^64     position(i) = floor(x(i) * m / 2^64)
//
// A table defines its size and the test of a cell (CellTable). The functions for one key are the definition.
// The batches return the same answers. If a table is larger than the second-level cache, a batch prefetches
// the cache lines of later keys while it works on earlier ones. In a smaller table it does not, since a
// prefetch of a cached line costs a quarter of a look-up. Not here: changes of cells.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <span>

#include "bloomery/base/uint128.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

inline constexpr std::uint64_t kBloomMultiplier = 0xf1357aea2e62a9c5;

template <typename Table>
concept CellTable = requires(const Table& table, std::uint64_t position) {
  { table.cells() } -> std::same_as<std::uint64_t>;
  { table.byte_size() } -> std::same_as<std::uint64_t>;
  { table.word_of(position) } -> std::same_as<std::uint64_t*>;
  { table.is_set(position) } -> std::same_as<std::uint64_t>;  // 0 or 1
  { table.hash_count + 0U } -> std::same_as<std::uint32_t>;
};

namespace bloom_cells {

// The positions of one key, in order.
class Positions {
 public:
  template <CellTable Table>
  Positions(const Table& table, std::uint64_t hash) : state_(hash), cells_(table.cells()) {}

  std::uint64_t next() {
    const auto position = static_cast<std::uint64_t>((Uint128{state_} * cells_) >> 64);
    state_ *= kBloomMultiplier;
    return position;
  }

 private:
  std::uint64_t state_;
  std::uint64_t cells_;
};

inline constexpr std::size_t kPrefetchAboveBytes = std::size_t{256} << 10;
inline constexpr std::size_t kGroup = 64;       // keys per word of answers
inline constexpr std::size_t kUpdateAhead = 8;  // keys that are prefetched ahead of the one that is changed
inline constexpr std::size_t kSurvivorsAhead = 8;  // the same for keys whose first two cells are set
inline constexpr std::uint32_t kCellsAStep = 4;
inline constexpr std::uint32_t kFewCells = 8;
inline constexpr std::uint64_t kMultiplierSquared = kBloomMultiplier * kBloomMultiplier;

// Returns true if batches prefetch in a table of this size.
template <CellTable Table>
bool prefetches(const Table& table) {
  return table.byte_size() > kPrefetchAboveBytes;
}

// Prefetches the cache lines of `hash` for writing.
template <CellTable Table>
void prefetch_for_update(const Table& table, std::uint64_t hash) {
  Positions positions(table, hash);
  for (std::uint32_t i = 0; i < table.hash_count; ++i) {
    __builtin_prefetch(table.word_of(positions.next()), 1);
  }
}

// Calls update(i) for every key i in order. Prefetches the cache lines of later keys.
template <CellTable Table, typename Update>
void update_batch(const Table& table, std::span<const Hash128> hashes, Update update) {
  const std::size_t ahead = prefetches(table) ? kUpdateAhead : hashes.size();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + ahead < hashes.size()) {
      prefetch_for_update(table, hashes[i + ahead].low);
    }
    update(i);
  }
}

// The first two positions of every key of a group. In a filter filled to its capacity, these two reject three
// in four absent keys. So only the other keys are worth prefetching more cache lines.
struct Group {
  std::array<std::uint64_t, kGroup> first;
  std::array<std::uint64_t, kGroup> second;
};

template <bool kPrefetch, CellTable Table>
void locate(const Table& table, std::span<const Hash128> hashes, Group& group) {
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    Positions positions(table, hashes[i].low);
    group.first[i] = positions.next();
    group.second[i] = table.hash_count > 1 ? positions.next() : group.first[i];
    if constexpr (kPrefetch) {
      __builtin_prefetch(table.word_of(group.first[i]));
      __builtin_prefetch(table.word_of(group.second[i]));
    }
  }
}

template <CellTable Table>
void prefetch_from_third(const Table& table, std::uint64_t hash) {
  Positions positions(table, hash * kMultiplierSquared);
  for (std::uint32_t i = 2; i < table.hash_count; ++i) {
    __builtin_prefetch(table.word_of(positions.next()));
  }
}

// Tests the cells from the third on in steps of kCellsAStep. Stops after a step that found a clear cell.
// Inside a step a branch for every cell would cost more by misprediction than it saves in look-ups.
template <CellTable Table>
std::uint64_t all_from_third(const Table& table, std::uint64_t hash) {
  Positions positions(table, hash * kMultiplierSquared);
  std::uint32_t left = table.hash_count > 2 ? table.hash_count - 2 : 0;
  std::uint64_t all = 1;
  for (; left > kCellsAStep && all != 0; left -= kCellsAStep) {
    for (std::uint32_t i = 0; i < kCellsAStep; ++i) {
      all &= table.is_set(positions.next());
    }
  }
  for (; left > 0; --left) {
    all &= table.is_set(positions.next());
  }
  return all;
}

// If the table is in the cache and k is small, all cells are tested: a branch that is mispredicted for every
// second key costs more than the look-ups that it saves. Otherwise two cells reject most absent keys.
template <CellTable Table>
bool may_contain(const Table& table, std::uint64_t hash) {
  Positions positions(table, hash);
  if (table.hash_count <= kFewCells && !prefetches(table)) {
    std::uint64_t all = 1;
    for (std::uint32_t i = 0; i < table.hash_count; ++i) {
      all &= table.is_set(positions.next());
    }
    return all != 0;
  }
  std::uint64_t all = table.is_set(positions.next());
  if (table.hash_count > 1) {
    all &= table.is_set(positions.next());
  }
  return all != 0 && all_from_third(table, hash) != 0;
}

template <bool kPrefetch, CellTable Table>
std::uint64_t answer(const Table& table, std::span<const Hash128> hashes, const Group& group) {
  std::array<std::uint8_t, kGroup> survivors;
  std::size_t count = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    survivors[count] = static_cast<std::uint8_t>(i);
    count += table.is_set(group.first[i]) & table.is_set(group.second[i]);
  }
  if constexpr (kPrefetch) {
    for (std::size_t i = 0; i < std::min(kSurvivorsAhead, count); ++i) {
      prefetch_from_third(table, hashes[survivors[i]].low);
    }
  }
  std::uint64_t answers = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (kPrefetch) {
      if (i + kSurvivorsAhead < count) {
        prefetch_from_third(table, hashes[survivors[i + kSurvivorsAhead]].low);
      }
    }
    answers |= all_from_third(table, hashes[survivors[i]].low) << survivors[i];
  }
  return answers;
}

// Tests all cells of every key without prefetching or branches. In the cache there are no misses to hide.
// With few cells, a branch costs more than the look-ups that it saves.
template <CellTable Table>
void answer_all_cells(const Table& table, std::span<const Hash128> hashes, std::uint64_t* answers) {
  for (; !hashes.empty(); hashes = hashes.subspan(std::min(kGroup, hashes.size()))) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < std::min(kGroup, hashes.size()); ++i) {
      Positions positions(table, hashes[i].low);
      std::uint64_t all = 1;
      for (std::uint32_t cell = 0; cell < table.hash_count; ++cell) {
        all &= table.is_set(positions.next());
      }
      word |= all << i;
    }
    *answers++ = word;
  }
}

// Locates the next group before it answers a group.
template <bool kPrefetch, CellTable Table>
void may_contain_groups(const Table& table, std::span<const Hash128> hashes, std::uint64_t* answers) {
  const auto group_at = [hashes](std::size_t start) {
    return hashes.subspan(start, std::min(kGroup, hashes.size() - start));
  };
  std::array<Group, 2> groups;
  locate<kPrefetch>(table, group_at(0), groups[0]);
  for (std::size_t start = 0, turn = 0; start < hashes.size(); start += kGroup, turn ^= 1) {
    if (start + kGroup < hashes.size()) {
      locate<kPrefetch>(table, group_at(start + kGroup), groups[turn ^ 1]);
    }
    *answers++ = answer<kPrefetch>(table, group_at(start), groups[turn]);
  }
}

template <CellTable Table>
void may_contain_batch(const Table& table, std::span<const Hash128> hashes, std::uint64_t* answers) {
  if (hashes.empty()) {
    return;
  }
  if (prefetches(table)) {
    may_contain_groups<true>(table, hashes, answers);
  } else if (table.hash_count <= kFewCells) {
    answer_all_cells(table, hashes, answers);
  } else {
    may_contain_groups<false>(table, hashes, answers);
  }
}

}  // namespace bloom_cells
}  // namespace bloomery
