// A layer between a reader and its file that keeps the blocks in a cache, which files may share.
//
// If a block cannot be read because the file's memory is used up, the blocks of the file are dropped from the
// cache and the block is read again.
//
// Thread-safe; two threads that miss the same block may both read it. A block is verified before it is kept,
// and its address is compared each time (block_source.h).
#pragma once

#include <memory>

#include "bloomery/base/result.h"
#include "bloomery/hfile/block_cache.h"
#include "hfile/block_source.h"
#include "hfile/cache/cache_parts.h"

namespace bloomery::hfile {

class CachedSource final : public BlockSource {
 public:
  // `disk` and `counters`, where hits are counted, must outlive the source. If `pinned` is not null, it keeps
  // index blocks instead of the cache.
  CachedSource(BlockSource& disk, std::shared_ptr<BlockCache> cache, ReadCounters& counters,
               std::shared_ptr<BlockCache> pinned = nullptr);
  CachedSource(const CachedSource&) = delete;
  CachedSource& operator=(const CachedSource&) = delete;
  ~CachedSource() override { forget(); }

  // Drops the blocks of this file; blocks of other files remain.
  void forget() override;

 private:
  Result<BlockPointer> fetch(const BlockAddress& address, ReadAhead* ahead) override;

  BlockSource& disk_;
  std::shared_ptr<BlockCache> cache_;
  std::shared_ptr<BlockCache> pinned_;
  ReadCounters& counters_;
  CacheParts::Groups groups_;         // in cache_
  CacheParts::Groups pinned_groups_;  // in pinned_
};

}  // namespace bloomery::hfile
