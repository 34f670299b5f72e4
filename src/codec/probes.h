// Queries and inserts, of single keys and in batches, for every dialect whose keys set k bits of a WordBits.
//
// A ProbeScheme defines how a key begins (its hash) and where its next bit is. The functions for single keys
// are the definition; the batches return the same answers.
//
// Batches hide memory latency. If the filter is larger than kPrefetchAboveBytes, a batch prefetches the cache
// lines of later keys while it processes earlier ones. A query has two stages: it tests the first two bits of
// each key, then the remaining bits of the keys that passed. In a filter with half its bits set, the first
// stage rejects three of four absent keys.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "codec/word_bits.h"

namespace bloomery {

template <typename Scheme>
concept ProbeScheme = requires(const Scheme& scheme, std::string_view key, typename Scheme::Probe& probe) {
  { scheme.begin(key) } -> std::same_as<typename Scheme::Probe>;
  { scheme.next(probe) } -> std::same_as<std::uint64_t>;  // below the number of bits
  { scheme.hash_count() } -> std::same_as<std::uint32_t>;
};

namespace probes {

// A filter of at most this size is assumed to fit in the second-level cache, where a prefetch gains nothing.
inline constexpr std::size_t kPrefetchAboveBytes = std::size_t{256} << 10;
inline constexpr std::size_t kGroup = 64;  // keys per word of answers
inline constexpr std::size_t kAhead = 8;   // keys whose cache lines are prefetched and not used yet
// A key with at most this many bits is tested without branches (all_of_key()).
inline constexpr std::uint32_t kFewProbes = 8;
inline constexpr std::uint32_t kHeld = 16;  // positions of a key that are computed ahead

inline bool prefetches(const WordBits& bits) {
  return bits.byte_size() > kPrefetchAboveBytes;
}

// Returns 1 if the next `count` bits of the key are all set, otherwise 0.
template <ProbeScheme Scheme>
std::uint64_t all_set(const WordBits& bits, Scheme scheme, typename Scheme::Probe probe,
                      std::uint32_t count) {
  std::uint64_t all = 1;
  for (; count >= 4 && all != 0; count -= 4) {
    for (int i = 0; i < 4; ++i) {
      all &= bits.test(scheme.next(probe));
    }
  }
  for (; count > 0 && all != 0; --count) {
    all &= bits.test(scheme.next(probe));
  }
  return all;
}

// Returns 1 if all bits of a key are set, otherwise 0. If the bits are few it tests them all, because a
// branch costs more than the tests that it saves.
template <ProbeScheme Scheme>
std::uint64_t all_of_key(const WordBits& bits, Scheme scheme, typename Scheme::Probe probe) {
  if (scheme.hash_count() > kFewProbes) {
    return all_set(bits, scheme, probe, scheme.hash_count());
  }
  std::uint64_t all = 1;
  for (std::uint32_t i = 0; i < scheme.hash_count(); ++i) {
    all &= bits.test(scheme.next(probe));
  }
  return all;
}

template <ProbeScheme Scheme>
bool may_contain(const WordBits& bits, const Scheme& scheme, std::string_view key) {
  return all_of_key(bits, scheme, scheme.begin(key)) != 0;
}

// Sets the next `count` bits of the key. Returns 1 if one of them was clear, otherwise 0.
template <ProbeScheme Scheme>
std::uint64_t set_all(WordBits& bits, Scheme scheme, typename Scheme::Probe probe, std::uint32_t count) {
  std::uint64_t changed = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    changed |= bits.set(scheme.next(probe));
  }
  return changed;
}

template <ProbeScheme Scheme>
bool insert(WordBits& bits, const Scheme& scheme, std::string_view key) {
  return set_all(bits, scheme, scheme.begin(key), scheme.hash_count()) != 0;
}

// The next bits of a key: the first kHeld positions, computed and prefetched. Later positions are computed
// from `rest` when they are used.
template <ProbeScheme Scheme>
struct Held {
  std::array<std::uint64_t, kHeld> positions;
  typename Scheme::Probe rest;
};

template <int kForWriting, ProbeScheme Scheme>
void hold(const WordBits& bits, Scheme scheme, typename Scheme::Probe probe, std::uint32_t count,
          Held<Scheme>& held) {
  for (std::uint32_t i = 0; i < std::min(count, kHeld); ++i) {
    const std::uint64_t position = scheme.next(probe);
    __builtin_prefetch(bits.word_of(position), kForWriting);
    held.positions[i] = position;
  }
  held.rest = probe;
}

template <ProbeScheme Scheme>
std::uint64_t set_held(WordBits& bits, Scheme scheme, const Held<Scheme>& held) {
  const std::uint32_t count = std::min(scheme.hash_count(), kHeld);
  std::uint64_t changed = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    changed |= bits.set(held.positions[i]);
  }
  return changed | set_all(bits, scheme, held.rest, scheme.hash_count() - count);
}

// Returns 1 if the held bits, and the bits after them up to `count`, are all set, otherwise 0.
template <ProbeScheme Scheme>
std::uint64_t held_set(const WordBits& bits, Scheme scheme, const Held<Scheme>& held, std::uint32_t count) {
  const std::uint32_t in_hand = std::min(count, kHeld);
  std::uint64_t all = 1;
  for (std::uint32_t i = 0; i < in_hand; ++i) {
    all &= bits.test(held.positions[i]);
  }
  return count > in_hand && all != 0 ? all_set(bits, scheme, held.rest, count - in_hand) : all;
}

// Returns how many keys changed a bit.
template <ProbeScheme Scheme>
std::uint64_t insert_batch(WordBits& bits, Scheme scheme, std::span<const std::string_view> keys) {
  std::uint64_t changed = 0;
  if (!prefetches(bits)) {
    for (const std::string_view key : keys) {
      changed += set_all(bits, scheme, scheme.begin(key), scheme.hash_count());
    }
    return changed;
  }
  std::array<Held<Scheme>, kAhead> waiting;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i >= kAhead) {
      changed += set_held(bits, scheme, waiting[i % kAhead]);
    }
    hold<1>(bits, scheme, scheme.begin(keys[i]), scheme.hash_count(), waiting[i % kAhead]);
  }
  for (std::size_t i = keys.size() - std::min(kAhead, keys.size()); i < keys.size(); ++i) {
    changed += set_held(bits, scheme, waiting[i % kAhead]);
  }
  return changed;
}

// The keys of a group: the positions of their first two bits, and the probe that computes the third.
template <ProbeScheme Scheme>
struct Group {
  std::array<typename Scheme::Probe, kGroup> rest;
  std::array<std::uint64_t, kGroup> first;
  std::array<std::uint64_t, kGroup> second;
};

template <ProbeScheme Scheme>
void locate(const WordBits& bits, Scheme scheme, std::span<const std::string_view> keys,
            Group<Scheme>& group) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    typename Scheme::Probe probe = scheme.begin(keys[i]);
    const std::uint64_t first = scheme.next(probe);
    const std::uint64_t second = scheme.hash_count() > 1 ? scheme.next(probe) : first;
    __builtin_prefetch(bits.word_of(first));
    __builtin_prefetch(bits.word_of(second));
    group.rest[i] = probe;
    group.first[i] = first;
    group.second[i] = second;
  }
}

template <ProbeScheme Scheme>
std::uint64_t answer(const WordBits& bits, Scheme scheme, std::size_t key_count, const Group<Scheme>& group) {
  const std::uint32_t left = scheme.hash_count() - std::min(scheme.hash_count(), 2U);
  std::array<std::uint8_t, kGroup> survivors;
  std::size_t count = 0;
  for (std::size_t i = 0; i < key_count; ++i) {
    survivors[count] = static_cast<std::uint8_t>(i);
    count += bits.test(group.first[i]) & bits.test(group.second[i]);
  }
  std::array<Held<Scheme>, kAhead> waiting;
  for (std::size_t i = 0; i < std::min(kAhead, count); ++i) {
    hold<0>(bits, scheme, group.rest[survivors[i]], left, waiting[i]);
  }
  std::uint64_t answers = 0;
  for (std::size_t i = 0; i < count; ++i) {
    answers |= held_set(bits, scheme, waiting[i % kAhead], left) << survivors[i];
    if (i + kAhead < count) {
      hold<0>(bits, scheme, group.rest[survivors[i + kAhead]], left, waiting[i % kAhead]);
    }
  }
  return answers;
}

// Locates each group of keys before it answers the previous group.
template <ProbeScheme Scheme>
void answer_from_memory(const WordBits& bits, const Scheme& scheme, std::span<const std::string_view> keys,
                        std::uint64_t* answers) {
  const auto group_at = [keys](std::size_t start) {
    return keys.subspan(start, std::min(kGroup, keys.size() - start));
  };
  std::array<Group<Scheme>, 2> groups;
  locate(bits, scheme, group_at(0), groups[0]);
  for (std::size_t start = 0, turn = 0; start < keys.size(); start += kGroup, turn ^= 1) {
    if (start + kGroup < keys.size()) {
      locate(bits, scheme, group_at(start + kGroup), groups[turn ^ 1]);
    }
    *answers++ = answer(bits, scheme, group_at(start).size(), groups[turn]);
  }
}

// Answers without prefetches. It hashes an entire group before it tests bits, which keeps both loops short.
template <ProbeScheme Scheme>
void answer_from_cache(const WordBits& bits, Scheme scheme, std::span<const std::string_view> keys,
                       std::uint64_t* answers) {
  std::array<typename Scheme::Probe, kGroup> group;
  for (std::size_t start = 0; start < keys.size(); start += kGroup) {
    const std::size_t count = std::min(kGroup, keys.size() - start);
    for (std::size_t i = 0; i < count; ++i) {
      group[i] = scheme.begin(keys[start + i]);
    }
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < count; ++i) {
      word |= all_of_key(bits, scheme, group[i]) << i;
    }
    answers[start / kGroup] = word;
  }
}

// Answers like DialectFilter::may_contain_batch().
template <ProbeScheme Scheme>
void may_contain_batch(const WordBits& bits, const Scheme& scheme, std::span<const std::string_view> keys,
                       std::span<std::uint64_t> answers) {
  if (keys.empty()) {
    return;
  }
  if (prefetches(bits)) {
    answer_from_memory(bits, scheme, keys, answers.data());
  } else {
    answer_from_cache(bits, scheme, keys, answers.data());
  }
}

}  // namespace probes
}  // namespace bloomery
