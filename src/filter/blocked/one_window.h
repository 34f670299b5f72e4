// The bits of one key in a window of a blocked Bloom filter that lies somewhere in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/blocked/blocked_kernel.h"

namespace bloomery {

// A table of one window: the product of a hash with 1 is the hash, so it chooses the bits as `rest` does in a whole
// filter.
inline BlockedTable one_window(const std::byte* window, std::uint32_t hash_count) {
  // The kernels take one kind of table for reading and writing.
  auto* const words = const_cast<std::byte*>(window);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return {.words = reinterpret_cast<std::uint64_t*>(words),
          .windows = 1,
          .stride_shift = 3,
          .hash_count = hash_count};
}

inline bool window_contains(const std::byte* window, std::uint32_t hash_count, std::uint64_t rest) {
  return chosen_blocked_kernel().one.may_contain(one_window(window, hash_count), rest);
}

// Returns whether the key was new.
inline bool insert_in_window(std::byte* window, std::uint32_t hash_count, std::uint64_t rest) {
  return chosen_blocked_kernel().one.insert_alone(one_window(window, hash_count), rest);
}

}  // namespace bloomery
