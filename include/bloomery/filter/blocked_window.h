// Where a key lives in a blocked Bloom filter: from its hash to its window of eight words, and to the bits in it.
//
//   h * windows = window * 2^64 + rest       the high bits of h choose the window, what is left chooses the bits
//
//   a = floor(rest / 2^32)
//   b = floor((rest * kRestMultiplier mod 2^64) / 2^32)
//
//   first(i)  = floor((a * kWindowSalts[i] mod 2^32) / 2^26)                       the bit in word i, 0 to 63
//   second(i) = first(i) xor max(1, floor((b * kWindowSalts[i] mod 2^32) / 2^26))  in words 0 to k - 9: another bit
//
// The 32-bit products with odd salts are those of split-block filters (Parquet's specification), here for words of 64
// bits. They are taken of the remainder of the window's own multiplication, and so share no bits with it.
//
// This header is public because a program asks one key at a time: what is compiled for a processor with AVX2 or AVX-512
// has the question inline (blocked_window_avx2.h, blocked_window_avx512.h), everything else calls the kernel that suits
// the machine (src/filter/blocked/blocked_kernel.h). All give the same bits and the same answers.
#pragma once

#include <array>
#include <cstdint>

#include "bloomery/base/force_inline.h"
#include "bloomery/base/uint128.h"
#include "bloomery/filter/blocked_sizing.h"

namespace bloomery {

// In files since format version 1, by what they do to bits: they never change.
inline constexpr std::array<std::uint32_t, kWindowWords> kWindowSalts = {
    0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09};
inline constexpr std::uint64_t kRestMultiplier = 0x9fb21c651e98df25;

struct BlockedTable {
  std::uint64_t* words;
  std::uint64_t windows;       // at least 1
  std::uint32_t stride_shift;  // windows begin at multiples of 2^stride_shift words: 3 fast, 0 dense
  std::uint32_t hash_count;    // 8..16
};

// The table of a valid shape.
inline BlockedTable blocked_table(std::uint64_t* words, const BlockedShape& shape) {
  return {.words = words,
          .windows = shape.windows(),
          .stride_shift = shape.setting == BlockedSetting::kFast ? 3U : 0U,
          .hash_count = shape.hash_count};
}

// Where a key lives, and what is left of its hash.
struct WindowPlace {
  std::uint64_t* window;
  std::uint64_t rest;
};

BLOOMERY_FORCE_INLINE WindowPlace place_of(const BlockedTable& table, std::uint64_t hash) {
  const Uint128 product = Uint128{hash} * table.windows;
  return {.window = table.words + (static_cast<std::uint64_t>(product >> 64) << table.stride_shift),
          .rest = static_cast<std::uint64_t>(product)};
}

// The calls of a kernel for one key.
struct BlockedCalls {
  bool (*may_contain)(const BlockedTable&, std::uint64_t hash);
  // Sets the key's bits beside other threads, and returns whether one of them was clear before.
  bool (*insert)(const BlockedTable&, std::uint64_t hash);
  // The same where no other thread touches the table.
  bool (*insert_alone)(const BlockedTable&, std::uint64_t hash);
};

}  // namespace bloomery
