// The kernels of the blocked Bloom filter: calls for one key, and batches that prefetch cache lines.
//
//    blocked_window.h             defines the bits of a key
//    blocked_kernel_scalar.cc     is that definition, word by word
//    blocked_kernel_avx2.cc       blocked_batches.h over a window of AVX2 vectors
//    blocked_kernel_avx512.cc     blocked_batches.h over a window of AVX-512 vectors
//    blocked_kernel.cc            the table of kernels, one row for each
//
// Every kernel sets the same bits and returns the same answers as the scalar kernel. A test compares them,
// and a golden hash pins the bytes.
//
// If Sharing requires it, words are read and set as relaxed atomics. A vector load reads each of its words
// atomically.
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
  // Inserts in order, and answers like insert() for each key. No other thread may use the table.
  void (*test_and_insert_batch)(const BlockedTable&, std::span<const Hash128>, std::uint64_t* answers);
  // The same for hashes of 64 bits.
  void (*may_contain_low)(const BlockedTable&, std::span<const Hash64>, std::uint64_t* answers);
  void (*insert_low)(const BlockedTable&, std::span<const Hash64>, Sharing);
  void (*test_and_insert_low)(const BlockedTable&, std::span<const Hash64>, std::uint64_t* answers);
};

// Returns all kernels of this build. The scalar definition is the last.
std::span<const BlockedKernel> blocked_kernels();

// Returns the first kernel that this machine can run. If the environment variable BLOOMERY_KERNEL names one
// that it can run, returns that.
const BlockedKernel& chosen_blocked_kernel();

extern const BlockedKernel kScalarBlockedKernel;
extern const BlockedKernel kAvx2BlockedKernel;
extern const BlockedKernel kAvx512BlockedKernel;

// Prefetches the cache lines of a window. There are two only if windows straddle lines.
inline void prefetch_window(const WindowPlace& place) {
  __builtin_prefetch(place.window);
  __builtin_prefetch(place.window + kWindowWords - 1);
}

// Batches prefetch in tables above this size. Smaller tables are in the second-level cache already.
inline constexpr std::uint64_t kBlockedPrefetchBytes = std::uint64_t{256} << 10;

inline bool prefetches(const BlockedTable& table) {
  return (table.windows << table.stride_shift) * 8 > kBlockedPrefetchBytes;
}

}  // namespace bloomery
