// The kernel of the blocked Bloom filter: from a hash to its window and its two bits' worth of every word.
//
//   h * windows = window * 2^64 + rest          the window by the high bits of h, all bits in it by what is
//   left a = rest / 2^32,  b = (rest * kRestMultiplier mod 2^64) / 2^32 first(i)  = (a * kWindowSalts[i] mod
//   2^32) / 2^26                        the bit in word i, 0..63 second(i) = first(i) xor max(1, (b *
//   kWindowSalts[i] mod 2^32) / 2^26)   in the first k - 8 words: another bit
//
// kScalar is this definition; every other kernel gives the same bits and answers (a test compares them, a
// golden hash pins the bytes). A kernel is a row of the table in blocked_kernel.cc: AVX-512 and NEON would be
// two more. The 32-bit products with odd salts are those of split-block filters (Parquet's specification), on
// 64-bit words; what differs is that they draw on the remainder of the window's own multiplication and so
// share no bits with it.
//
// Words are read and set as relaxed atomics where Sharing says so; a vector load reads every word of it
// whole.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/uint128.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

// On disk since format version 1, by what they do to bits: never change.
inline constexpr std::array<std::uint32_t, kWindowWords> kWindowSalts = {
    0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09};
inline constexpr std::uint64_t kRestMultiplier = 0x9fb21c651e98df25;

struct BlockedTable {
  std::uint64_t* words;
  std::uint64_t windows;       // at least 1
  std::uint32_t stride_words;  // 8 fast, 1 dense
  std::uint32_t hash_count;    // 8..16
};

// The table of a valid shape.
inline BlockedTable blocked_table(std::uint64_t* words, const BlockedShape& shape) {
  return {.words = words,
          .windows = shape.windows(),
          .stride_words = static_cast<std::uint32_t>(shape.setting) / 8,
          .hash_count = shape.hash_count};
}

struct BlockedKernel {
  const char* name;
  bool (*available)();
  bool (*may_contain)(const BlockedTable&, std::uint64_t hash);
  // Returns whether a bit was clear before.
  bool (*insert)(const BlockedTable&, std::uint64_t hash);
  void (*may_contain_batch)(const BlockedTable&, std::span<const Hash128>, std::uint64_t* answers);
  void (*insert_batch)(const BlockedTable&, std::span<const Hash128>, Sharing);
  // Inserts in order, and answers as insert() for each. No other thread may touch the table.
  void (*test_and_insert_batch)(const BlockedTable&, std::span<const Hash128>, std::uint64_t* answers);
};

// All kernels of this build, the definition last.
std::span<const BlockedKernel> blocked_kernels();

// The first that this machine can run, or the one that the environment variable BLOOMERY_KERNEL names, if it
// can run it.
const BlockedKernel& chosen_blocked_kernel();

extern const BlockedKernel kScalarBlockedKernel;
extern const BlockedKernel kAvx2BlockedKernel;

// Where a key lives, and what is left of its hash.
struct WindowPlace {
  std::uint64_t* window;
  std::uint64_t rest;
};

inline WindowPlace place_of(const BlockedTable& table, std::uint64_t hash) {
  const Uint128 product = Uint128{hash} * table.windows;
  return {.window = table.words + static_cast<std::uint64_t>(product >> 64) * table.stride_words,
          .rest = static_cast<std::uint64_t>(product)};
}

// Asks for the cache lines of a window; the second differs from the first only where windows straddle.
inline void prefetch_window(const WindowPlace& place) {
  __builtin_prefetch(place.window);
  __builtin_prefetch(place.window + kWindowWords - 1);
}

// Batches ask ahead in tables above this size; smaller ones are in the second-level cache already.
inline constexpr std::uint64_t kBlockedPrefetchBytes = std::uint64_t{256} << 10;

inline bool prefetches(const BlockedTable& table) {
  return table.windows * table.stride_words * 8 > kBlockedPrefetchBytes;
}

}  // namespace bloomery
