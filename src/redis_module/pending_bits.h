// Numbers of bits that are set in a group of chunks, and that are not in the bytes of the chunks yet: a list for each chunk
// (shared_lists.h).
//
// A chunk that a filter sets its first bit in has to be made: that takes two pages of the kernel, and a copy of 8 KiB if a
// copy of the filter shares it. A command of 1,000 items would make thousands. So the first bits of each chunk are kept
// here. How many they may be differs from chunk to chunk, so that chunks are not made all at the same time.
//
// Invariants: no position is in a list twice. Lists that have two owners never change.
//
// Threads: as SharedChunk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "redis_module/shared_lists.h"

namespace bloomery::redis_module {

inline constexpr std::size_t kGroupChunks = 8;

// Precondition of add(): the position is not in, and the chunk has less than kMostOfChunk.
class PendingBits : public SharedLists<std::uint16_t, kGroupChunks> {
 public:
  static constexpr std::size_t kMostOfChunk = 125;  // so a list takes 2 KiB at most

  bool contains(std::size_t chunk, std::uint16_t position) const {
    bool found = false;
    for (const std::uint16_t one : of(chunk)) {  // without a branch, so that it becomes vectors
      found |= one == position;
    }
    return found;
  }
};

}  // namespace bloomery::redis_module
