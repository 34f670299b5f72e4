// A cache of blocks for all files of a process, up to a number of bytes.
//
// Example:
//    HFileOptions options;
//    options.cache = BlockCache::make(std::uint64_t{256} << 20);
//    auto first = HFileReader::open("first.hfile", options);     // both keep their blocks in it
//    auto second = HFileReader::open("second.hfile", options);
//    std::cout << options.cache->counters().of(BlockGroup::kData).hits << "\n";
//
// It keeps blocks that were verified and decompressed: data blocks, blocks of indexes below their roots, and chunks of
// Bloom filters. The roots stay in memory with their file, and count for the file.
//
// A block belongs to the file as it was opened, not to a path. When a file is closed its blocks are dropped. A file
// that replaces another one therefore never gets a block of it.
//
// What stays: a block that is asked for again, and not the one that was asked for last. A scan, or a loop over more
// than the cache holds, does not drive out what gets use (src/base/cache_entries.h).
//
// A block that is larger than a part of the cache is returned and not kept. A cache has a part for each 8 MiB, up to
// 16 of them. Errors are not kept.
//
// The bound counts blocks as they are in memory. Beside them the cache needs:
//
//   - about 250 bytes a block;
//   - about 8 bytes a cell, in a block of plain cells that was sought in;
//   - about 9 bytes an entry, in an index block that was sought in.
//
// Blocks are charged to the memory of their file, too (HFileOptions::memory).
//
// Threads: all may use it. Two that miss the same block may both read it.
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
