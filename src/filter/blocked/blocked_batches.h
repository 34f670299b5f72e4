// The blocked kernel over windows of vectors: single calls and batches, written once for all vector
// instructions.
//
// A file that makes a kernel of it first defines BLOOMERY_TARGET, the function attribute of its instructions,
// and then includes this header. It passes the window (blocked_window_avx2.h) as template argument. All
// functions here are local to that file.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/atomic_word.h"
#include "filter/blocked/blocked_kernel.h"

#if !defined(BLOOMERY_TARGET)
#define BLOOMERY_TARGET
#endif

namespace bloomery {
namespace {

// Sets the bits of a key while other threads use the table. It reads first, so that a window that has all the
// bits stays clean in the cache of every core.
template <typename Window, bool kSecondBits>
BLOOMERY_TARGET inline bool set_shared(std::uint64_t* window, std::uint64_t rest,
                                       const typename Window::Plan& plan) {
  if (Window::template contains<kSecondBits>(window, rest, plan)) {
    return false;
  }
  std::array<std::uint64_t, kWindowWords> masks;
  Window::template write_masks<kSecondBits>(rest, plan, masks.data());
  bool changed = false;
  for (std::size_t i = 0; i < kWindowWords; ++i) {
    changed |= relaxed_set_bits(window[i], masks[i]);
  }
  return changed;
}

// The operations on a key's window, as function objects. Queries return one bit.
template <typename Window, bool kSecondBits>
struct Contains {
  typename Window::Plan plan;
  BLOOMERY_TARGET std::uint64_t operator()(const WindowPlace& place) const {
    return Window::template contains<kSecondBits>(place.window, place.rest, plan) ? 1 : 0;
  }
};

template <typename Window, bool kSecondBits>
struct TestAndSet {
  typename Window::Plan plan;
  BLOOMERY_TARGET std::uint64_t operator()(const WindowPlace& place) const {
    return Window::template test_and_set<kSecondBits>(place.window, place.rest, plan) ? 1 : 0;
  }
};

template <typename Window, bool kSecondBits>
struct SetAlone {
  typename Window::Plan plan;
  BLOOMERY_TARGET void operator()(const WindowPlace& place) const {
    Window::template set<kSecondBits>(place.window, place.rest, plan);
  }
};

template <typename Window, bool kSecondBits>
struct SetShared {
  typename Window::Plan plan;
  BLOOMERY_TARGET void operator()(const WindowPlace& place) const {
    set_shared<Window, kSecondBits>(place.window, place.rest, plan);
  }
};

constexpr std::size_t kGroup = 64;  // keys per word of answers

// While the kernel works on one key, the cache lines of the next kAhead keys are being fetched. These are
// more misses than one core can have outstanding, so the memory pipeline is always full.
constexpr std::size_t kAhead = 64;

// A table whose setting is known at compile time, so that a window's address needs no shift by a variable.
template <BlockedSetting kSetting>
class Windows {
 public:
  explicit Windows(const BlockedTable& table) : table_(table) {
    table_.stride_shift = kSetting == BlockedSetting::kFast ? 3 : 0;
  }

  WindowPlace place(std::uint64_t hash) const { return place_of(table_, hash); }

  void prefetch(std::uint64_t hash) const {
    const WindowPlace ahead = place(hash);
    __builtin_prefetch(ahead.window);
    if constexpr (kSetting == BlockedSetting::kDense) {  // a dense window may straddle two cache lines
      __builtin_prefetch(ahead.window + kWindowWords - 1);
    }
  }

 private:
  BlockedTable table_;
};

// Calls use(place) for every hash in order. The place of a prefetched key is recomputed, because a product
// costs less than storing and loading it. At the end, the cache line of the last key is prefetched again,
// which costs less than a bounds check.
template <bool kPrefetch, BlockedSetting kSetting, typename Hash, typename Use>
BLOOMERY_TARGET inline void for_each_place(const BlockedTable& table, std::span<const Hash> hashes,
                                           const Use& use) {
  const Windows<kSetting> windows(table);
  if constexpr (kPrefetch) {
    for (const Hash& hash : hashes.first(std::min(kAhead, hashes.size()))) {
      windows.prefetch(hash.low);
    }
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if constexpr (kPrefetch) {
      windows.prefetch(hashes[std::min(i + kAhead, hashes.size() - 1)].low);
    }
    use(windows.place(hashes[i].low));
  }
}

template <typename Hash, typename Use>
BLOOMERY_TARGET void use_all(const BlockedTable& table, std::span<const Hash> hashes, const Use& use) {
  const bool fast = table.stride_shift != 0;
  if (!prefetches(table)) {
    return fast ? for_each_place<false, BlockedSetting::kFast>(table, hashes, use)
                : for_each_place<false, BlockedSetting::kDense>(table, hashes, use);
  }
  return fast ? for_each_place<true, BlockedSetting::kFast>(table, hashes, use)
              : for_each_place<true, BlockedSetting::kDense>(table, hashes, use);
}

// Like for_each_place(). In addition, sets bit i % 64 of answers[i / 64] to the result of use() for key i.
template <bool kPrefetch, BlockedSetting kSetting, typename Hash, typename Use>
BLOOMERY_TARGET inline void answer_each_place(const BlockedTable& table, std::span<const Hash> hashes,
                                              const Use& use, std::uint64_t* answers) {
  const Windows<kSetting> windows(table);
  if constexpr (kPrefetch) {
    for (const Hash& hash : hashes.first(std::min(kAhead, hashes.size()))) {
      windows.prefetch(hash.low);
    }
  }
  for (std::size_t start = 0; start < hashes.size(); start += kGroup) {
    const std::size_t end = std::min(start + kGroup, hashes.size());
    std::uint64_t word = 0;
    for (std::size_t i = start; i < end; ++i) {
      if constexpr (kPrefetch) {
        windows.prefetch(hashes[std::min(i + kAhead, hashes.size() - 1)].low);
      }
      word |= use(windows.place(hashes[i].low)) << (i - start);
    }
    *answers++ = word;
  }
}

template <typename Hash, typename Use>
BLOOMERY_TARGET void answer_all(const BlockedTable& table, std::span<const Hash> hashes, const Use& use,
                                std::uint64_t* answers) {
  const bool fast = table.stride_shift != 0;
  if (!prefetches(table)) {
    return fast ? answer_each_place<false, BlockedSetting::kFast>(table, hashes, use, answers)
                : answer_each_place<false, BlockedSetting::kDense>(table, hashes, use, answers);
  }
  return fast ? answer_each_place<true, BlockedSetting::kFast>(table, hashes, use, answers)
              : answer_each_place<true, BlockedSetting::kDense>(table, hashes, use, answers);
}

// The functions of a kernel, and its row in the table of kernels.
template <typename Window>
struct Calls {
  BLOOMERY_TARGET static bool may_contain(const BlockedTable& table, std::uint64_t hash) {
    const WindowPlace place = place_of(table, hash);
    const auto plan = Window::plan_for(table.hash_count);
    if (table.hash_count > kMinBlockedHashes) {
      return Window::template contains<true>(place.window, place.rest, plan);
    }
    return Window::template contains<false>(place.window, place.rest, plan);
  }

  BLOOMERY_TARGET static bool insert(const BlockedTable& table, std::uint64_t hash) {
    const WindowPlace place = place_of(table, hash);
    const auto plan = Window::plan_for(table.hash_count);
    return table.hash_count > kMinBlockedHashes ? set_shared<Window, true>(place.window, place.rest, plan)
                                                : set_shared<Window, false>(place.window, place.rest, plan);
  }

  BLOOMERY_TARGET static bool insert_alone(const BlockedTable& table, std::uint64_t hash) {
    const WindowPlace place = place_of(table, hash);
    const auto plan = Window::plan_for(table.hash_count);
    if (table.hash_count > kMinBlockedHashes) {
      return Window::template test_and_set<true>(place.window, place.rest, plan);
    }
    return Window::template test_and_set<false>(place.window, place.rest, plan);
  }

  template <bool kSecondBits, typename Hash>
  BLOOMERY_TARGET static void answer_contained(const BlockedTable& table, std::span<const Hash> hashes,
                                               std::uint64_t* answers) {
    const Contains<Window, kSecondBits> use{Window::plan_for(table.hash_count)};
    answer_all(table, hashes, use, answers);
  }

  template <typename Hash>
  BLOOMERY_TARGET static void may_contain_batch(const BlockedTable& table, std::span<const Hash> hashes,
                                                std::uint64_t* answers) {
    if (table.hash_count > kMinBlockedHashes) {
      answer_contained<true>(table, hashes, answers);
    } else {
      answer_contained<false>(table, hashes, answers);
    }
  }

  template <bool kSecondBits, typename Hash>
  BLOOMERY_TARGET static void insert_all(const BlockedTable& table, std::span<const Hash> hashes,
                                         Sharing sharing) {
    const auto plan = Window::plan_for(table.hash_count);
    if (sharing == Sharing::kExclusive) {
      use_all(table, hashes, SetAlone<Window, kSecondBits>{plan});
    } else {
      use_all(table, hashes, SetShared<Window, kSecondBits>{plan});
    }
  }

  template <typename Hash>
  BLOOMERY_TARGET static void insert_batch(const BlockedTable& table, std::span<const Hash> hashes,
                                           Sharing sharing) {
    if (table.hash_count > kMinBlockedHashes) {
      insert_all<true>(table, hashes, sharing);
    } else {
      insert_all<false>(table, hashes, sharing);
    }
  }

  template <bool kSecondBits, typename Hash>
  BLOOMERY_TARGET static void test_and_insert_all(const BlockedTable& table, std::span<const Hash> hashes,
                                                  std::uint64_t* answers) {
    const TestAndSet<Window, kSecondBits> use{Window::plan_for(table.hash_count)};
    answer_all(table, hashes, use, answers);
  }

  template <typename Hash>
  BLOOMERY_TARGET static void test_and_insert_batch(const BlockedTable& table, std::span<const Hash> hashes,
                                                    std::uint64_t* answers) {
    if (table.hash_count > kMinBlockedHashes) {
      test_and_insert_all<true>(table, hashes, answers);
    } else {
      test_and_insert_all<false>(table, hashes, answers);
    }
  }

  static constexpr BlockedKernel kernel(const char* name, bool (*available)()) {
    return {.name = name,
            .available = available,
            .one = {.may_contain = may_contain, .insert = insert, .insert_alone = insert_alone},
            .may_contain_batch = may_contain_batch<Hash128>,
            .insert_batch = insert_batch<Hash128>,
            .test_and_insert_batch = test_and_insert_batch<Hash128>,
            .may_contain_low = may_contain_batch<Hash64>,
            .insert_low = insert_batch<Hash64>,
            .test_and_insert_low = test_and_insert_batch<Hash64>};
  }
};

}  // namespace
}  // namespace bloomery
