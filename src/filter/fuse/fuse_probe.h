// The queries of the fuse kernels that work key by key. A kernel's source defines BLOOMERY_FUSE_TARGET, the
// attribute of its processor, and includes this file.
//
// A batch works in two steps over groups of kFuseGroup keys. The first step finds the cells of a group's
// keys; the second reads them. If there are many shards, the first step also prefetches the cells, and the
// second step of a group follows the first step of the next one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "filter/fuse/fuse_kernel.h"

namespace bloomery {
namespace {

inline constexpr std::size_t kFuseGroup = 64;  // the keys of a word of answers

// A key of a group, between the two steps.
struct FuseProbe {
  std::array<std::uint64_t, kMaxFuseArity> cells;
  std::uint64_t fingerprint;
  const FuseShard* shard;  // null if the answer is maybe without its cells, or no without cells
  bool answer;             // then
};

// Returns the shard of a masked hash if its cells decide. Otherwise `answer` is the answer.
[[gnu::always_inline]] BLOOMERY_FUSE_TARGET inline const FuseShard* fuse_shard_of(const FuseTable& table,
                                                                                  std::uint64_t hash,
                                                                                  bool& answer) {
  std::uint64_t index = 0;
  if (table.shard_count != 1) {
    index = static_cast<std::uint64_t>((Uint128{hash} * table.shard_count) >> 64) - table.first_held;
  }
  answer = true;
  if (__builtin_expect(index >= table.held, 0)) {
    return nullptr;
  }
  const FuseShard& shard = table.shards[index];
  if (__builtin_expect(
          __atomic_load_n(&shard.state, __ATOMIC_ACQUIRE) != static_cast<std::uint8_t>(ShardState::kSound),
          0) &&
      !is_sound(table, index)) {
    return nullptr;
  }
  answer = false;
  return __builtin_expect(shard.starts == 0, 0) ? nullptr : &shard;
}

// The cells and the fingerprints of up to kFuseGroup keys of one shard.
struct LocatedKeys {
  std::array<std::array<std::uint32_t, kFuseGroup>, kMaxFuseArity> cells;
  std::array<std::uint32_t, kFuseGroup> fingerprints;
};

template <std::uint32_t kArity, typename Hash>
BLOOMERY_FUSE_TARGET void locate_keys(const FuseShard& shard, std::uint64_t hash_mask,
                                      std::span<const Hash> hashes, LocatedKeys& located) {
  const std::uint64_t seed_step = shard.seed_step;
  const std::uint32_t starts = shard.starts;
  const std::uint32_t segment_log = shard.segment_log;
  std::size_t i = 0;
#if defined(BLOOMERY_FUSE_VECTORS)
  i = locate_vectors<kArity>(shard, hash_mask, hashes, located);
#endif
  for (; i < hashes.size(); ++i) {
    const FuseKey key(hashes[i].low & hash_mask, seed_step);
    const auto cells = key.cells(starts, segment_log);
    for (std::uint32_t place = 0; place < kArity; ++place) {
      located.cells[place][i] = static_cast<std::uint32_t>(cells[place]);
    }
    located.fingerprints[i] = static_cast<std::uint32_t>(key.f);
  }
}

template <std::uint32_t kArity, std::uint32_t kBits>
struct FuseProber {
  const FuseTable& table;

  [[gnu::always_inline]] BLOOMERY_FUSE_TARGET inline FuseCellArray<kBits> cells_of(
      const FuseShard& shard) const {
    return {.bytes = reinterpret_cast<std::byte*>(const_cast<std::uint64_t*>(table.words + shard.front)),
            .bits = table.bits};
  }

  [[gnu::always_inline]] BLOOMERY_FUSE_TARGET inline bool matches(
      const FuseShard& shard, const std::array<std::uint64_t, kMaxFuseArity>& cells, std::uint64_t f) const {
    const FuseCellArray<kBits> array = cells_of(shard);
    for (std::uint32_t place = 0; place < kArity; ++place) {
      f ^= array.at(cells[place]);
    }
    return (f & array.mask()) == 0;
  }

  [[gnu::always_inline]] BLOOMERY_FUSE_TARGET inline bool contains(std::uint64_t hash) const {
    hash &= table.hash_mask;
    bool answer = false;
    const FuseShard* const shard = fuse_shard_of(table, hash, answer);
    if (__builtin_expect(shard == nullptr, 0)) {
      return answer;
    }
    const FuseKey key(hash, shard->seed_step);
    const bool found = matches(*shard, key.cells(shard->starts, shard->segment_log), key.f);
    return __builtin_expect(shard->set_aside != 0, 0) ? found || is_set_aside(table, *shard, hash) : found;
  }

  [[gnu::always_inline]] BLOOMERY_FUSE_TARGET inline void locate(std::uint64_t hash, FuseProbe& probe) const {
    hash &= table.hash_mask;
    probe.shard = fuse_shard_of(table, hash, probe.answer);
    if (__builtin_expect(probe.shard == nullptr, 0)) {
      return;
    }
    const FuseKey key(hash, probe.shard->seed_step);
    probe.cells = key.cells(probe.shard->starts, probe.shard->segment_log);
    probe.fingerprint = key.f;
    const FuseCellArray<kBits> array = cells_of(*probe.shard);
    for (std::uint32_t place = 0; place < kArity; ++place) {
      __builtin_prefetch(array.address(probe.cells[place]));
    }
  }

  [[gnu::always_inline]] BLOOMERY_FUSE_TARGET inline bool decide(const FuseProbe& probe,
                                                                 std::uint64_t hash) const {
    if (__builtin_expect(probe.shard == nullptr, 0)) {
      return probe.answer;
    }
    const bool found = matches(*probe.shard, probe.cells, probe.fingerprint);
    return __builtin_expect(probe.shard->set_aside != 0, 0)
               ? found || is_set_aside(table, *probe.shard, hash & table.hash_mask)
               : found;
  }

  BLOOMERY_FUSE_TARGET std::uint64_t decide_all(const FuseCellArray<kBits>& array, std::size_t count,
                                                const LocatedKeys& located) const {
    const std::uint64_t mask = array.mask();
    std::uint64_t word = 0;
    std::size_t i = 0;
#if defined(BLOOMERY_FUSE_GATHERS)
    if constexpr (kBits != 0) {
      word = decide_vectors<kArity, kBits>(array.bytes, count, located, i);
    }
#endif
    for (; i < count; ++i) {
      std::uint64_t f = located.fingerprints[i];
      for (std::uint32_t place = 0; place < kArity; ++place) {
        f ^= array.at(located.cells[place][i]);
      }
      word |= std::uint64_t{(f & mask) == 0} << i;
    }
    return word;
  }

  // Returns the answers of a group, to which the keys set aside are added.
  template <typename Hash>
  BLOOMERY_FUSE_TARGET std::uint64_t with_aside(const FuseShard& shard, std::span<const Hash> hashes,
                                                std::uint64_t word) const {
    if (__builtin_expect(shard.set_aside != 0, 0)) {
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        word |= std::uint64_t{is_set_aside(table, shard, hashes[i].low & table.hash_mask)} << i;
      }
    }
    return word;
  }

  // Answers a batch from one shard, in groups. The reads of a group depend on nothing but its located keys,
  // so the processor has as many of them under way as it can. Prefetches would only cost instructions.
  template <typename Hash>
  BLOOMERY_FUSE_TARGET void contains_in(const FuseShard& shard, std::span<const Hash> hashes,
                                        std::uint64_t* answers) const {
    const FuseCellArray<kBits> array = cells_of(shard);
    LocatedKeys located;
    for (std::size_t first = 0; first < hashes.size(); first += kFuseGroup) {
      const auto group = hashes.subspan(first, std::min(kFuseGroup, hashes.size() - first));
      locate_keys<kArity>(shard, table.hash_mask, group, located);
      answers[first / kFuseGroup] = with_aside(shard, group, decide_all(array, group.size(), located));
    }
  }

  // Answers a batch whose keys are in many shards.
  template <typename Hash>
  BLOOMERY_FUSE_TARGET void contains_far(std::span<const Hash> hashes, std::uint64_t* answers) const {
    std::array<FuseProbe, 2 * kFuseGroup> ring;
    const auto locate_until = [&](std::size_t begin, std::size_t end) BLOOMERY_FUSE_TARGET {
      for (std::size_t i = begin; i < end; ++i) {
        locate(hashes[i].low, ring[i % ring.size()]);
      }
    };
    std::size_t next = std::min(kFuseGroup, hashes.size());
    locate_until(0, next);
    for (std::size_t first = 0; first < hashes.size();
         first = next, next = std::min(next + kFuseGroup, hashes.size())) {
      locate_until(next, std::min(next + kFuseGroup, hashes.size()));
      std::uint64_t word = 0;
      for (std::size_t i = first; i < next; ++i) {
        word |= std::uint64_t{decide(ring[i % ring.size()], hashes[i].low)} << (i % 64);
      }
      answers[first / 64] = word;
    }
  }
};

template <std::uint32_t kArity, typename Use>
[[gnu::always_inline]] BLOOMERY_FUSE_TARGET inline auto with_width(const FuseTable& table, const Use& use) {
  switch (table.bits) {
    case 8:
      return use(FuseProber<kArity, 8>{table});
    case 16:
      return use(FuseProber<kArity, 16>{table});
    default:
      return use(FuseProber<kArity, 0>{table});
  }
}

// Calls `use` with the prober of the table's arity and width.
template <typename Use>
[[gnu::always_inline]] BLOOMERY_FUSE_TARGET inline auto with_prober(const FuseTable& table, const Use& use) {
  return table.arity == 3 ? with_width<3>(table, use) : with_width<4>(table, use);
}

BLOOMERY_FUSE_TARGET bool fuse_contains(const FuseTable& table, std::uint64_t hash) {
  return with_prober(table,
                     [hash](const auto& prober) BLOOMERY_FUSE_TARGET { return prober.contains(hash); });
}

// Precondition: there are hashes.
template <typename Hash>
BLOOMERY_FUSE_TARGET void fuse_contains_batch(const FuseTable& table, std::span<const Hash> hashes,
                                              std::uint64_t* answers) {
  bool answer = false;
  const FuseShard* const sole = table.shard_count == 1 ? fuse_shard_of(table, 0, answer) : nullptr;
  with_prober(table, [&](const auto& prober) BLOOMERY_FUSE_TARGET {
    if (sole != nullptr) {
      prober.contains_in(*sole, hashes, answers);
    } else {
      prober.contains_far(hashes, answers);
    }
  });
}

}  // namespace
}  // namespace bloomery
