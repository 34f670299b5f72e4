// The bits of one key in a single window of a blocked Bloom filter, at any address.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/blocked/blocked_kernel.h"

namespace bloomery {

// Returns a table of one window. Kernel calls get a key's `rest` as the hash. With one window, the window
// index floor(rest * 1 / 2^64) is 0. The bits follow from rest * 1 mod 2^64 = rest, as in the complete
// filter.
inline BlockedTable one_window(const std::byte* window, std::uint32_t hash_count) {
  // The kernels use one table type for reads and writes.
  auto* const words = const_cast<std::byte*>(window);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return {.words = reinterpret_cast<std::uint64_t*>(words),
          .windows = 1,
          .stride_shift = 3,
          .hash_count = hash_count};
}

inline bool window_contains(const std::byte* window, std::uint32_t hash_count, std::uint64_t rest) {
  return chosen_blocked_kernel().one.may_contain(one_window(window, hash_count), rest);
}

// Returns true if the key was new.
inline bool insert_in_window(std::byte* window, std::uint32_t hash_count, std::uint64_t rest) {
  return chosen_blocked_kernel().one.insert_alone(one_window(window, hash_count), rest);
}

}  // namespace bloomery
