// Fills a chunked Bloom filter while its file is written. A full chunk waits for the next end of a data
// block; the last one is folded (bloom_chunk.h). bloom_meta.h ties the chunks together.
//
// In memory are one chunk, those that became full within a data block, and of all others the first keys.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "hfile/block_writer.h"
#include "hfile/bloom/bloom_chunk.h"
#include "hfile/bloom/bloom_meta.h"
#include "hfile/bloom/bloom_sizing.h"
#include "hfile/byte_writer.h"

namespace bloomery::hfile {

class FilterWriter {
 public:
  FilterWriter(const hbase::ChunkShape& shape, hbase::BloomHash hash, hbase::KeyOrder order)
      : shape_(shape), hash_(hash), order_(order), chunk_(shape, hash) {}

  // Each key counts: the caller leaves out those that were there. They ascend in the filter's order.
  void add(std::string_view key);
  // Writes the chunks that are full. Errors: those of BlockWriter::finish().
  Status write_full_chunks(BlockWriter& blocks);
  // The same, and the last.
  Status write_all_chunks(BlockWriter& blocks);

  bool is_empty() const { return key_count_ == 0; }
  // Precondition: all chunks are written.
  void append_meta_to(ByteWriter& out) const;

 private:
  struct Waiting {
    hbase::FinishedChunk chunk;
    std::string first_key;
  };
  struct Written {
    std::uint64_t offset;
    std::uint32_t on_disk_bytes;
    std::string first_key;
  };

  void end_chunk();

  hbase::ChunkShape shape_;
  hbase::BloomHash hash_;
  hbase::KeyOrder order_;
  hbase::ChunkBuilder chunk_;
  std::string first_key_;  // of chunk_
  std::deque<Waiting> waiting_;
  std::vector<Written> written_;
  std::uint64_t key_count_ = 0;
  std::uint64_t max_keys_ = 0;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace bloomery::hfile
