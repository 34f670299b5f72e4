// The kernels of the blocked Bloom filter: one key at a time, and batches that keep cache lines on their way.
//
// What a key's bits are is blocked_window.h. The scalar kernel is that definition; every other kernel gives the same
// bits and answers (a test compares them, a golden hash pins the bytes). A kernel is a row of the table in
// blocked_kernel.cc. The vector kernels are blocked_batches.h over a window of their vectors.
//
// Words are read and set as relaxed atomics where Sharing says so; a vector load reads every word of it
// whole.
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/filter/blocked_window.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

struct BlockedKernel {
  const char* name;
  bool (*available)();
  BlockedCalls one;
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
extern const BlockedKernel kAvx512BlockedKernel;

// Asks for the cache lines of a window; the second differs from the first only where windows straddle.
inline void prefetch_window(const WindowPlace& place) {
  __builtin_prefetch(place.window);
  __builtin_prefetch(place.window + kWindowWords - 1);
}

// Batches ask ahead in tables above this size; smaller ones are in the second-level cache already.
inline constexpr std::uint64_t kBlockedPrefetchBytes = std::uint64_t{256} << 10;

inline bool prefetches(const BlockedTable& table) {
  return (table.windows << table.stride_shift) * 8 > kBlockedPrefetchBytes;
}

}  // namespace bloomery
