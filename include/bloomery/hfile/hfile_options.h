// How an HFile is opened.
#pragma once

#include <cstdint>

namespace bloomery {

struct HFileOptions {
  // Of one, uncompressed; a larger one is an error.
  std::uint64_t max_block_bytes = std::uint64_t{256} << 20;
  // Of the blocks that were read, kept in memory checked and decompressed, those asked for last: cells, index
  // and Bloom filters alike. None unless given; HBase's region servers have one.
  std::uint64_t cache_bytes = 0;
  // Beside that, Bloom chunks stay in memory once they were read: at HBase's default of 1 %, 1.2 bytes for
  // each key that was added.
  bool keep_bloom_chunks = false;
};

}  // namespace bloomery
