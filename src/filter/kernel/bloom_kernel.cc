#include "filter/kernel/bloom_kernel.h"

#include <algorithm>
#include <array>

#include "base/atomic_word.h"

namespace bloomery {
namespace bloom_kernel {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr std::size_t kPrefetchAboveBytes = std::size_t{256} << 10;
constexpr std::size_t kGroup = 64;          // keys per word of answers
constexpr std::size_t kInsertAhead = 8;     // keys whose lines are on their way while one is inserted
constexpr std::size_t kSurvivorsAhead = 8;  // the same for keys that passed their first two bits
constexpr std::uint32_t kBitsAStep = 4;
constexpr std::uint32_t kFewBits = 8;
constexpr std::uint64_t kMultiplierSquared = kBloomMultiplier * kBloomMultiplier;

// The positions of one key, in order.
class Positions {
 public:
  Positions(const BloomTable& table, std::uint64_t hash) : state_(hash), bits_(table.bits) {}

  std::uint64_t next() {
    const auto position = static_cast<std::uint64_t>((Uint128{state_} * bits_) >> 64);
    state_ *= kBloomMultiplier;
    return position;
  }

 private:
  std::uint64_t state_;
  std::uint64_t bits_;
};

std::uint64_t mask_of(std::uint64_t position) {
  return std::uint64_t{1} << (position % 64);
}

std::uint64_t bit_at(const BloomTable& table, std::uint64_t position) {
  return (relaxed_load(table.words[position / 64]) >> (position % 64)) & 1;
}

// The first two positions of every key of a group. Of the absent keys of a filter filled to its capacity
// three in four end there, so only the others are worth asking for more lines.
struct Group {
  std::array<std::uint64_t, kGroup> first;
  std::array<std::uint64_t, kGroup> second;
};

template <bool kPrefetch>
void locate(const BloomTable& table, std::span<const Hash128> hashes, Group& group) {
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    Positions positions(table, hashes[i].low);
    group.first[i] = positions.next();
    group.second[i] = table.hash_count > 1 ? positions.next() : group.first[i];
    if constexpr (kPrefetch) {
      __builtin_prefetch(&table.words[group.first[i] / 64]);
      __builtin_prefetch(&table.words[group.second[i] / 64]);
    }
  }
}

void prefetch_from_third(const BloomTable& table, std::uint64_t hash) {
  Positions positions(table, hash * kMultiplierSquared);
  for (std::uint32_t i = 2; i < table.hash_count; ++i) {
    __builtin_prefetch(&table.words[positions.next() / 64]);
  }
}

// Looks at the bits in steps of kBitsAStep and stops after a step that found one clear: within a step a
// branch for every bit would be mispredicted more often than it saved a look.
std::uint64_t all_from_third(const BloomTable& table, std::uint64_t hash) {
  Positions positions(table, hash * kMultiplierSquared);
  std::uint32_t left = table.hash_count > 2 ? table.hash_count - 2 : 0;
  std::uint64_t all = 1;
  for (; left > kBitsAStep && all != 0; left -= kBitsAStep) {
    for (std::uint32_t i = 0; i < kBitsAStep; ++i) {
      all &= bit_at(table, positions.next());
    }
  }
  for (; left > 0; --left) {
    all &= bit_at(table, positions.next());
  }
  return all;
}

template <bool kPrefetch>
std::uint64_t answer(const BloomTable& table, std::span<const Hash128> hashes, const Group& group) {
  std::array<std::uint8_t, kGroup> survivors;
  std::size_t count = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    survivors[count] = static_cast<std::uint8_t>(i);
    count += bit_at(table, group.first[i]) & bit_at(table, group.second[i]);
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

// In cache there is no line to wait for, and with few bits a branch costs more than the looks it saves: all
// of them, and nothing else.
void answer_all_bits(const BloomTable& table, std::span<const Hash128> hashes, std::uint64_t* answers) {
  for (; !hashes.empty(); hashes = hashes.subspan(std::min(kGroup, hashes.size()))) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < std::min(kGroup, hashes.size()); ++i) {
      Positions positions(table, hashes[i].low);
      std::uint64_t all = 1;
      for (std::uint32_t bit = 0; bit < table.hash_count; ++bit) {
        all &= bit_at(table, positions.next());
      }
      word |= all << i;
    }
    *answers++ = word;
  }
}

// Locates one group ahead of the one it answers.
template <bool kPrefetch>
void may_contain_groups(const BloomTable& table, std::span<const Hash128> hashes, std::uint64_t* answers) {
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

}  // namespace

bool prefetches(const BloomTable& table) {
  return table.bits / 8 > kPrefetchAboveBytes;
}

bool may_contain(const BloomTable& table, std::uint64_t hash) {
  Positions positions(table, hash);
  for (std::uint32_t i = 0; i < table.hash_count; ++i) {
    if (bit_at(table, positions.next()) == 0) {
      return false;
    }
  }
  return true;
}

bool insert(const BloomTable& table, std::uint64_t hash) {
  Positions positions(table, hash);
  bool changed = false;
  for (std::uint32_t i = 0; i < table.hash_count; ++i) {
    const std::uint64_t position = positions.next();
    changed |= relaxed_set_bits(table.words[position / 64], mask_of(position));
  }
  return changed;
}

void prefetch_for_insert(const BloomTable& table, std::uint64_t hash) {
  Positions positions(table, hash);
  for (std::uint32_t i = 0; i < table.hash_count; ++i) {
    __builtin_prefetch(&table.words[positions.next() / 64], 1);
  }
}

void may_contain_batch(const BloomTable& table, std::span<const Hash128> hashes, std::uint64_t* answers) {
  if (hashes.empty()) {
    return;
  }
  if (prefetches(table)) {
    may_contain_groups<true>(table, hashes, answers);
  } else if (table.hash_count <= kFewBits) {
    answer_all_bits(table, hashes, answers);
  } else {
    may_contain_groups<false>(table, hashes, answers);
  }
}

void insert_batch(const BloomTable& table, std::span<const Hash128> hashes) {
  const std::size_t ahead = prefetches(table) ? kInsertAhead : hashes.size();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + ahead < hashes.size()) {
      prefetch_for_insert(table, hashes[i + ahead].low);
    }
    insert(table, hashes[i].low);
  }
}

}  // namespace bloom_kernel
}  // namespace bloomery
