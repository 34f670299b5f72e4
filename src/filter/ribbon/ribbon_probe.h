// The shared source of all vector kernels: it finds the slots of a key, and answers one key or a batch.
//
// A file that includes this header first defines BLOOMERY_RIBBON_TARGET, the attribute of functions for its
// processor. It instantiates the templates with a Comparison of its own:
//
//    bool contains(const Probe&)                    returns true if the key's slots sum to its fingerprint
//    unsigned contain(const Probe&, const Probe&)   the same of two keys: bit 0 is of the first one
//    bool kReadsGroups                              true if it reads columns in full groups of kColumnGroup
//
// All functions here are local to that file. The scalar ribbon_may_contain() answers keys of the tail.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {
namespace {

// A key that has been located: its columns in two neighbouring blocks, and its row cut at the edge between
// them.
struct Probe {
  const std::uint64_t* low;
  const std::uint64_t* high;
  std::uint64_t low_row;
  std::uint64_t high_row;
  std::uint64_t fingerprint;
  std::uint32_t columns;  // at least 1
};

constexpr std::array<std::uint64_t, kColumnGroup> kNoSlots = {};

// A probe of a key whose answer is known: a row that picks no slot has the fingerprint 0.
inline Probe decided(bool answer) {
  return {.low = kNoSlots.data(),
          .high = kNoSlots.data(),
          .low_row = 0,
          .high_row = 0,
          .fingerprint = answer ? 0U : 1U,
          .columns = 1};
}

// A batch locates keys ahead of those that it answers, so that cache lines have time to arrive. It prefetches
// the codes of key i + 48, locates key i + 16 and prefetches its slots, and answers key i.
constexpr std::size_t kRing = 16;               // keys located ahead; a power of two, at most 32
constexpr std::size_t kCodesAhead = 3 * kRing;  // keys whose codes were prefetched
// A table of more than 256 KiB is prefetched. A smaller one is in the second-level cache already.
constexpr std::uint64_t kPrefetchWords = std::uint64_t{256} << 10 >> 3;

template <typename Comparison>
class Prober {
 public:
  Prober(const RibbonTable& table, bool prefetching) : table_(table), prefetching_(prefetching) {}

  // Prefetches the cache line of a hash's code in band 0.
  BLOOMERY_RIBBON_TARGET void announce(std::uint64_t hash) const {
    const RibbonPlace at = ribbon_place(table_, hash);
    if (prefetching_ && at.index < table_.held) {
      const RibbonShard& shard = table_.shards[at.index];
      const std::uint64_t bucket = multiply_high(at.place, band_starts(shard.blocks0)) / kBucketStarts;
      __builtin_prefetch(table_.words + shard.front + bucket / 32);
    }
  }

  // Locates a hash and prefetches its cache lines. The answer is known already if the shard is not held or
  // damaged, and for some keys that the scalar definition answers.
  [[gnu::always_inline]] BLOOMERY_RIBBON_TARGET inline void locate(std::uint64_t hash, Probe& probe) const {
    const RibbonPlace at = ribbon_place(table_, hash);
    if (__builtin_expect(at.index >= table_.held, 0)) {
      probe = decided(true);
      return;
    }
    RibbonShard& shard = table_.shards[at.index];
    if (__builtin_expect(std::atomic_ref<std::uint8_t>(shard.state).load(std::memory_order_relaxed) !=
                             static_cast<std::uint8_t>(ShardState::kSound),
                         0)) {
      if (!is_sound(table_, at.index)) {
        probe = decided(true);
        return;
      }
    }
    const std::uint64_t* const codes = table_.words + shard.front;
    const std::uint64_t* band = table_.words + shard.band0;
    std::uint64_t start = multiply_high(at.place, band_starts(shard.blocks0));
    std::uint32_t narrow = shard.narrow0;
    RibbonKey key(at.hash, shard.seed, 0);
    if (__builtin_expect(shard.blocks0 == 0 || is_bumped(codes, 0, start), 0)) {
      key = RibbonKey(at.hash, shard.seed, 1);
      start = key.start(band_starts(shard.blocks1));
      if (shard.blocks1 == 0 || is_bumped(codes, band_buckets(shard.blocks0), start)) {
        probe = decided(ribbon_may_contain(table_, hash));
        return;
      }
      band += words_before(shard.blocks0, shard.narrow0, table_.columns);
      narrow = shard.narrow1;
    }
    if (!aim(probe, band, narrow, start, key)) {
      probe = decided(ribbon_may_contain(table_, hash));
    }
  }

 private:
  // Fills in `probe`. Returns false if a full group of columns would extend past the payload, and for a key
  // that is compared in no column.
  [[gnu::always_inline]] BLOOMERY_RIBBON_TARGET inline bool aim(Probe& probe, const std::uint64_t* band,
                                                                std::uint32_t narrow, std::uint64_t start,
                                                                const RibbonKey& key) const {
    const std::uint64_t block = start / kRibbonBlockSlots;
    const std::uint64_t offset = start % kRibbonBlockSlots;
    const bool wide = block >= narrow;
    probe.columns = table_.columns + (wide ? 1 : 0);
    probe.low = band + block * table_.columns + (wide ? block - narrow : 0);
    probe.high = probe.low + probe.columns;
    const std::uint64_t row = key.row();
    probe.low_row = row << offset;
    probe.high_row = (row >> 1) >> (63 - offset);
    probe.fingerprint = key.fingerprint();
    if (__builtin_expect(probe.columns == 0, 0)) {
      return false;
    }
    if constexpr (Comparison::kReadsGroups) {
      const std::uint32_t read = (probe.columns + kColumnGroup - 1) / kColumnGroup * kColumnGroup;
      if (__builtin_expect(static_cast<std::uint64_t>(table_.words + table_.word_count - probe.high) < read,
                           0)) {
        return false;
      }
    }
    if (prefetching_) {
      const auto* const last = reinterpret_cast<const char*>(probe.high + probe.columns) - 1;
      for (const auto* line = reinterpret_cast<const char*>(probe.low); line < last; line += 64) {
        __builtin_prefetch(line);
      }
      __builtin_prefetch(last);
    }
    return true;
  }

  const RibbonTable& table_;
  bool prefetching_;
};

template <typename Comparison>
BLOOMERY_RIBBON_TARGET bool may_contain(const RibbonTable& table, std::uint64_t hash) {
  Probe probe;
  Prober<Comparison>(table, false).locate(hash, probe);
  return Comparison::contains(probe);
}

// Answers two keys at a time. With kDepth above 2 it locates so many keys ahead.
template <typename Comparison, std::size_t kDepth>
BLOOMERY_RIBBON_TARGET void answer_pairs(const RibbonTable& table, std::span<const Hash128> hashes,
                                         std::uint64_t* answers) {
  constexpr bool kIsAhead = kDepth > 2;
  const Prober<Comparison> prober(table, kIsAhead);
  std::array<Probe, kDepth> ring;
  ring.fill(decided(false));
  const auto locate = [&](std::size_t i) __attribute__((always_inline)) BLOOMERY_RIBBON_TARGET {
    if (i < hashes.size()) {
      prober.locate(hashes[i].low, ring[i % kDepth]);
    }
  };
  if constexpr (kIsAhead) {
    for (std::size_t i = 0; i < std::min(kCodesAhead, hashes.size()); ++i) {
      prober.announce(hashes[i].low);
    }
    for (std::size_t i = 0; i < kDepth; ++i) {
      locate(i);
    }
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < hashes.size(); i += 2) {
    if constexpr (kIsAhead) {
      for (std::size_t ahead = i + kCodesAhead; ahead < std::min(i + kCodesAhead + 2, hashes.size());
           ++ahead) {
        prober.announce(hashes[ahead].low);
      }
    } else {
      locate(i);
      locate(i + 1);
    }
    word |= std::uint64_t{Comparison::contain(ring[i % kDepth], ring[i % kDepth + 1])} << (i % 64);
    if (i % 64 == 62 || i + 2 >= hashes.size()) {
      answers[i / 64] = i + 1 == hashes.size() ? word & ~(std::uint64_t{2} << (i % 64)) : word;
      word = 0;
    }
    if constexpr (kIsAhead) {
      locate(i + kDepth);
      locate(i + kDepth + 1);
    }
  }
}

template <typename Comparison>
BLOOMERY_RIBBON_TARGET void may_contain_batch(const RibbonTable& table, std::span<const Hash128> hashes,
                                              std::uint64_t* answers) {
  const bool is_in_cache = table.word_count <= kPrefetchWords;
  return is_in_cache ? answer_pairs<Comparison, 2>(table, hashes, answers)
                     : answer_pairs<Comparison, kRing>(table, hashes, answers);
}

}  // namespace
}  // namespace bloomery
