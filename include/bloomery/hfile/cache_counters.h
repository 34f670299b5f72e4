// Counters of a block cache: hits and misses for each kind of block, and its contents (block_cache.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bloomery {

// Kinds of blocks that are counted together.
enum class BlockGroup : std::uint8_t { kData, kIndex, kBloom, kOther };
inline constexpr std::size_t kBlockGroups = 4;

const char* block_group_name(BlockGroup group);  // "data", "index", "Bloom", "other"

struct CacheCounters {
  struct Asked {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };
  std::array<Asked, kBlockGroups> asked = {};  // since the cache was made
  std::uint64_t blocks = 0;                    // blocks in the cache now
  std::uint64_t bytes = 0;                     // bytes of these blocks
  std::uint64_t dropped_blocks = 0;            // evictions; blocks of closed files do not count

  const Asked& of(BlockGroup group) const { return asked[static_cast<std::size_t>(group)]; }
};

}  // namespace bloomery
