// The options for opening an HFile.
#pragma once

#include <cstdint>
#include <memory>

#include "bloomery/base/file_memory.h"
#include "bloomery/hfile/block_cache.h"

namespace bloomery {

struct HFileOptions {
  // The limit for one uncompressed block; a larger block is an error.
  std::uint64_t max_block_bytes = std::uint64_t{256} << 20;
  // A cache of blocks that several files share. By default there is none. HBase's region servers have one.
  std::shared_ptr<BlockCache> cache = {};
  // The size of a cache for this file alone, if not 0. It is ignored if `cache` is set.
  std::uint64_t cache_bytes = 0;
  // Keeps index blocks in memory after they were read. They are outside the cache and its bound, and cost
  // about 60 bytes for each data block.
  bool keep_index_blocks = false;
  // Keeps Bloom chunks in memory after they were read, outside the cache and its bound. At HBase's default of
  // 1 % they cost 1.2 bytes for each key. They are kept while half of `memory` is free; other chunks are read
  // again each time.
  bool keep_bloom_chunks = false;
  // The limit for everything that is kept of the file, including the blocks that are being read. By default
  // the size of the cache is added to the default limit.
  FileMemory memory = {};
};

}  // namespace bloomery
