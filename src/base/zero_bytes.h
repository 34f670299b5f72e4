// Checks that bytes are all 0, such as a reserved field, padding, or memory without items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace bloomery {

inline bool all_zeros(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace bloomery
