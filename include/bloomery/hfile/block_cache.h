// A cache of blocks that all files of a process can share, bounded in bytes.
//
// Example:
//    HFileOptions options;
//    options.cache = BlockCache::make(std::uint64_t{256} << 20);
//    auto first = HFileReader::open("first.hfile", options);     // both keep their blocks in it
//    auto second = HFileReader::open("second.hfile", options);
//    std::cout << options.cache->counters().of(BlockGroup::kData).hits << "\n";
//
// The cache keeps blocks that were verified and decompressed: data blocks, index blocks below the root, and
// chunks of Bloom filters. Root index blocks stay in memory with their file and count against the file's
// memory.
//
// A block belongs to the file as it was opened, not to a path. When a file is closed its blocks are dropped.
// A file that replaces another one therefore never gets a block of the old file.
//
// Eviction is by frequency, not by recency alone (src/base/cache_entries.h). One scan, or a loop over more
// than the cache holds, does not evict hot blocks.
//
// The cache is divided into shards of 8 MiB or more: 1, 2, 4, 8 or 16 of them. A block that is larger than a
// shard is returned and not kept. Errors are not kept.
//
// The bound counts blocks at their size in memory. In addition the cache needs:
//
//   - about 250 bytes for each block;
//   - about 8 bytes for each cell, in a block of plain cells that was sought in;
//   - about 9 bytes for each entry, in an index block that was sought in.
//
// Blocks are also charged to the memory of their file (HFileOptions::memory).
//
// Threads: all may use it. Two threads that miss the same block may both read it.
#pragma once

#include <cstdint>
#include <memory>

#include "bloomery/hfile/cache_counters.h"

namespace bloomery {

namespace hfile {
class CacheParts;
}  // namespace hfile

class BlockCache {
 public:
  // With 0 bytes it keeps nothing.
  static std::shared_ptr<BlockCache> make(std::uint64_t most_bytes);
  explicit BlockCache(std::unique_ptr<hfile::CacheParts> parts);
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  ~BlockCache();

  std::uint64_t most_bytes() const;
  CacheCounters counters() const;

  // For the library.
  hfile::CacheParts& parts() { return *parts_; }

 private:
  std::unique_ptr<hfile::CacheParts> parts_;
};

}  // namespace bloomery
