// The options for opening an HFile.
#pragma once

#include <cstdint>
#include <memory>

#include "bloomery/base/file_memory.h"
#include "bloomery/hfile/block_cache.h"

namespace bloomery {

struct HFileOptions {
  // The limit of one uncompressed block; a larger block is an error.
  std::uint64_t max_block_bytes = std::uint64_t{256} << 20;
  // The cache of blocks that the file shares with others. By default there is no cache. HBase's region servers
  // have one.
  std::shared_ptr<BlockCache> cache = {};
  // Without `cache`: the size of a cache of the file's own, if not 0.
  std::uint64_t cache_bytes = 0;
  // Keeps the blocks of the index in memory after they were read, beside the cache and not counted in it: about 60
  // bytes for each data block.
  bool keep_index_blocks = false;
  // Keeps Bloom chunks in memory after they were read, beside the cache and not counted in it. At HBase's default of 1 % they take
  // 1.2 bytes for each key. They are kept while half of `memory` is free; other chunks are read again each
  // time.
  bool keep_bloom_chunks = false;
  // The limit of everything that is kept of the file, including the blocks that are being read. By default
  // `cache_bytes` is added to the default limit.
  FileMemory memory = {};
};

}  // namespace bloomery
