// Inlines the calls for one key of a blocked filter if the translation unit is compiled for AVX2 or
// AVX-512.
//
//   compiled with                                   a query is
//   AVX-512F                                        WindowAvx512, inline
//   AVX2                                            WindowAvx2, inline
//   neither, -fsanitize=thread, or no x86-64        a call of the kernel that was chosen at run time
//
// So a program inlines only what its entire build may assume. A program that is built for any x86-64 still
// uses the vectors of the machine it runs on. Every function here is inlined into its caller
// (force_inline.h). Translation units for different processors therefore link, and produce the same bits.
#pragma once

#include <cstdint>

#include "bloomery/base/force_inline.h"
#include "bloomery/filter/blocked_window.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BLOOMERY_THREAD_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define BLOOMERY_THREAD_SANITIZER 1
#endif

#if !defined(BLOOMERY_THREAD_SANITIZER)
#if defined(__AVX512F__)
#include "bloomery/filter/blocked_window_avx512.h"
#define BLOOMERY_INLINE_WINDOW WindowAvx512
#elif defined(__AVX2__)
#include "bloomery/filter/blocked_window_avx2.h"
#define BLOOMERY_INLINE_WINDOW WindowAvx2
#endif
#endif

namespace bloomery::blocked_inline {

// Returns WindowPlace::rest (blocked_window.h) by a separate multiplication. If both branches use one
// 128-bit product, GCC 12 keeps that product on the stack, which costs a loop of queries a quarter of its
// speed.
BLOOMERY_FORCE_INLINE std::uint64_t rest_of(const BlockedTable& table, std::uint64_t hash) {
  return hash * table.windows;
}

BLOOMERY_FORCE_INLINE bool may_contain(const BlockedTable& table, [[maybe_unused]] const BlockedCalls& calls,
                                       std::uint64_t hash) {
#if defined(BLOOMERY_INLINE_WINDOW)
  const WindowPlace place = place_of(table, hash);
  const auto plan = BLOOMERY_INLINE_WINDOW::plan_for(table.hash_count);
  return table.hash_count == kMinBlockedHashes
             ? BLOOMERY_INLINE_WINDOW::contains<false>(place.window, place.rest, plan)
             : BLOOMERY_INLINE_WINDOW::contains<true>(place.window, rest_of(table, hash), plan);
#else
  return calls.may_contain(table, hash);
#endif
}

// Sets a key's bits. Precondition: no other thread accesses the table.
BLOOMERY_FORCE_INLINE void insert_alone(const BlockedTable& table, [[maybe_unused]] const BlockedCalls& calls,
                                        std::uint64_t hash) {
#if defined(BLOOMERY_INLINE_WINDOW)
  const WindowPlace place = place_of(table, hash);
  const auto plan = BLOOMERY_INLINE_WINDOW::plan_for(table.hash_count);
  if (table.hash_count == kMinBlockedHashes) [[likely]] {
    BLOOMERY_INLINE_WINDOW::set<false>(place.window, place.rest, plan);
  } else {
    BLOOMERY_INLINE_WINDOW::set<true>(place.window, rest_of(table, hash), plan);
  }
#else
  calls.insert_alone(table, hash);
#endif
}

// Sets a key's bits and returns true if one of them was clear. Precondition: no other thread accesses the
// table.
BLOOMERY_FORCE_INLINE bool test_and_insert_alone(const BlockedTable& table,
                                                 [[maybe_unused]] const BlockedCalls& calls,
                                                 std::uint64_t hash) {
#if defined(BLOOMERY_INLINE_WINDOW)
  const WindowPlace place = place_of(table, hash);
  const auto plan = BLOOMERY_INLINE_WINDOW::plan_for(table.hash_count);
  return table.hash_count == kMinBlockedHashes
             ? BLOOMERY_INLINE_WINDOW::test_and_set<false>(place.window, place.rest, plan)
             : BLOOMERY_INLINE_WINDOW::test_and_set<true>(place.window, rest_of(table, hash), plan);
#else
  return calls.insert_alone(table, hash);
#endif
}

}  // namespace bloomery::blocked_inline
