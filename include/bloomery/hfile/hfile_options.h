// How an HFile is opened.
#pragma once

#include <cstdint>

#include "bloomery/base/file_memory.h"

namespace bloomery {

struct HFileOptions {
  // Of one, uncompressed; a larger one is an error.
  std::uint64_t max_block_bytes = std::uint64_t{256} << 20;
  // Of the blocks that were read, kept in memory checked and decompressed, those asked for last: cells, index
  // and Bloom filters alike. None unless given; HBase's region servers have one.
  std::uint64_t cache_bytes = 0;
  // Beside that, Bloom chunks stay in memory once they were read: at HBase's default of 1 %, 1.2 bytes for
  // each key that was added.
  // They stay while half of `memory` is free; the others are read again each time.
  bool keep_bloom_chunks = false;
  // Of all that is kept of the file, blocks that are read at the moment included. Unless given, `cache_bytes`
  // is added to the default.
  FileMemory memory = {};
};

}  // namespace bloomery
