// Fills a chunked Bloom filter while its file is written.
//
//   Calls: (add* write_full_chunks)* write_all_chunks append_meta_to
//
// A full chunk waits for the end of the data block, since a block cannot be written inside another. The last
// chunk is folded (bloom_chunk.h). The meta block lists the chunks (bloom_meta.h).
//
// Memory holds the chunk that is being filled, full chunks that wait, and the first keys of all others.
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

  // Adds a key. Every call counts as one key, so the caller omits repeated keys. Keys ascend in the filter's
  // order.
  void add(std::string_view key);
  // Writes the chunks that are full. Errors: kCapacity, kIo.
  Status write_full_chunks(BlockWriter& blocks);
  // Writes the full chunks and the last one.
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
  std::string first_key_;  // the first key of chunk_
  std::deque<Waiting> waiting_;
  std::vector<Written> written_;
  std::uint64_t key_count_ = 0;
  std::uint64_t max_keys_ = 0;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace bloomery::hfile
