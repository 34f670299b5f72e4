// The number of a shard's cells, and of their words.
#pragma once

#include <cstdint>

#include "bloomery/filter/fuse_sizing.h"

namespace bloomery {

// Returns the number of cells.
constexpr std::uint64_t cell_count(const FuseCells& cells, std::uint32_t arity) {
  return cells.segments == 0 ? 0 : (std::uint64_t{cells.segments} + arity - 1) << cells.segment_log;
}
// Returns the words of `count` cells.
constexpr std::uint64_t cell_words(std::uint64_t count, std::uint32_t bits) {
  if (count == 0 || bits == 8 || bits == 16) {
    return (count * bits + 63) / 64;
  }
  return ((count - 1) * bits / 8 + 8 + 7) / 8;
}

}  // namespace bloomery
