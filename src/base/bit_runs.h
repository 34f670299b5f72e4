// Runs of equal bits in an array of words. Bit i of the array is bit i % 64 of word i / 64.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

// Returns the first bit from `i` on that is set (or clear), or `size`. Bits from `size` on may have any
// value.
inline std::size_t next_bit(std::span<const std::uint64_t> words, bool set, std::size_t i, std::size_t size) {
  while (i < size) {
    const std::uint64_t wanted = (set ? words[i / 64] : ~words[i / 64]) >> (i % 64);
    if (wanted != 0) {
      return std::min(i + static_cast<std::size_t>(std::countr_zero(wanted)), size);
    }
    i = (i / 64 + 1) * 64;
  }
  return size;
}

}  // namespace bloomery
