// Computes the position of a key in a blocked Bloom filter: its window of eight words and its bits, from
// its hash.
//
// The high word of a product chooses the window, its low word (`rest`) chooses the bits:
//
//   h * windows = window * 2^64 + rest
//
//   a = floor(rest / 2^32)
//   b = floor((rest * kRestMultiplier mod 2^64) / 2^32)
//
//   first(i)  = floor((a * kWindowSalts[i] mod 2^32) / 2^26)
//   second(i) = first(i) xor max(1, floor((b * kWindowSalts[i] mod 2^32) / 2^26))
//
// A word i has the bit first(i), 0 to 63. The words 0 to k - 9 have another bit, second(i). The 32-bit
// products with odd salts are those of split-block filters (Parquet's specification), here for words of 64
// bits. Their factor is `rest`, so they share no bits with the choice of the window.
//
// This header is public because calls for one key are inline. Code that is compiled for AVX2 or AVX-512
// inlines the query (blocked_window_avx2.h, blocked_window_avx512.h). All other code calls the kernel that
// suits the machine (src/filter/blocked/blocked_kernel.h). All of them compute the same bits and the same
// answers.
#pragma once

#include <array>
#include <cstdint>

#include "bloomery/base/force_inline.h"
#include "bloomery/base/uint128.h"
#include "bloomery/filter/blocked_sizing.h"

namespace bloomery {

// These numbers decide the bits in files since format version 1, so they never change.
inline constexpr std::array<std::uint32_t, kWindowWords> kWindowSalts = {
    0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09};
inline constexpr std::uint64_t kRestMultiplier = 0x9fb21c651e98df25;

struct BlockedTable {
  std::uint64_t* words;
  std::uint64_t windows;       // at least 1
  std::uint32_t stride_shift;  // windows begin at multiples of 2^stride_shift words: 3 is fast, 0 is dense
  std::uint32_t hash_count;    // 8..16
};

// Returns the table of a valid shape.
inline BlockedTable blocked_table(std::uint64_t* words, const BlockedShape& shape) {
  return {.words = words,
          .windows = shape.windows(),
          .stride_shift = shape.setting == BlockedSetting::kFast ? 3U : 0U,
          .hash_count = shape.hash_count};
}

// A key's window, and the remaining hash bits, which choose the bits.
struct WindowPlace {
  std::uint64_t* window;
  std::uint64_t rest;
};

BLOOMERY_FORCE_INLINE WindowPlace place_of(const BlockedTable& table, std::uint64_t hash) {
  // Loads the hash into a register. A multiplication that loads it from memory waits on Zen 4 for the store
  // of the key before, and a batch of inserts then takes 4 ns a key instead of 1.3.
  asm("" : "+r"(hash));
  const Uint128 product = Uint128{hash} * table.windows;
  return {.window = table.words + (static_cast<std::uint64_t>(product >> 64) << table.stride_shift),
          .rest = static_cast<std::uint64_t>(product)};
}

// A kernel's calls for one key.
struct BlockedCalls {
  bool (*may_contain)(const BlockedTable&, std::uint64_t hash);
  // Sets the key's bits; other threads may do so concurrently. Returns true if one of the bits was clear
  // before.
  bool (*insert)(const BlockedTable&, std::uint64_t hash);
  // Sets the key's bits and returns true if one was clear. Precondition: no other thread accesses the
  // table.
  bool (*insert_alone)(const BlockedTable&, std::uint64_t hash);
};

}  // namespace bloomery
