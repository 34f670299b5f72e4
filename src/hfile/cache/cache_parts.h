// The shards of a block cache, each with its own lock, so that threads seldom wait.
//
//   the hash of (file, offset) ── four of its bits ──> part ── a lock ──> CacheEntries
//
// A file that uses the cache has a CachedSource: a number that is unique in the process, and for each part
// the list of its blocks there. When the file is closed, its blocks are dropped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/cache_entries.h"
#include "bloomery/hfile/cache_counters.h"
#include "hfile/block.h"
#include "hfile/block_header.h"

namespace bloomery::hfile {

constexpr BlockGroup group_of(BlockKind kind) {
  switch (kind) {
    case BlockKind::kData:
    case BlockKind::kEncodedData:
      return BlockGroup::kData;
    case BlockKind::kLeafIndex:
    case BlockKind::kIntermediateIndex:
    case BlockKind::kRootIndex:
      return BlockGroup::kIndex;
    case BlockKind::kBloomChunk:
      return BlockGroup::kBloom;
    default:
      return BlockGroup::kOther;
  }
}

class CacheParts {
 public:
  static constexpr std::size_t kMostParts = 16;
  using Groups = std::array<CacheGroup, kMostParts>;  // a file's groups; a part's lock guards its group

  // An empty part needs 320 bytes, so a file's cache of pinned index blocks has only one (open_file.cc).
  explicit CacheParts(std::uint64_t most_bytes, std::uint64_t most_parts = kMostParts);

  std::uint64_t most_bytes() const { return most_bytes_; }
  // Returns null if the block is not in the cache. `kind` selects the counter of hits and misses.
  BlockPointer find(Groups& file, std::uint64_t offset, BlockKind kind);
  void keep(Groups& file, const BlockPointer& block);
  void drop(Groups& file);
  CacheCounters counters() const;

 private:
  static constexpr std::uint64_t kPartBytes = std::uint64_t{8} << 20;

  struct alignas(64) Part {
    explicit Part(std::uint64_t most_bytes) : entries(most_bytes) {}

    mutable std::mutex mutex;  // guards all members
    CacheEntries<BlockPointer> entries;
    std::array<CacheCounters::Asked, kBlockGroups> asked = {};
  };

  // Uses bits that neither the index of a part nor its sketch uses.
  std::size_t part_of(std::uint64_t hash) const { return hash >> 40 & (parts_.size() - 1); }

  std::uint64_t most_bytes_;
  std::vector<std::unique_ptr<Part>> parts_;  // their number is a power of two
};

}  // namespace bloomery::hfile
