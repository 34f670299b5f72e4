// The facts that an HFile states about itself, and counters of the reads from it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "bloomery/hfile/row_order.h"

namespace bloomery {

struct HFileBloomFacts {
  std::string hash;
  std::uint32_t hash_count = 0;
  std::uint64_t key_count = 0;
  std::uint64_t max_keys = 0;  // the capacity of its chunks, in keys
  std::uint64_t byte_size = 0;
  std::uint64_t chunk_count = 0;
};

// The facts that the file states about itself, in HBase's words.
struct HFileFacts {
  std::uint64_t file_bytes = 0;
  std::uint32_t major_version = 0;
  std::uint32_t minor_version = 0;
  std::uint64_t load_on_open_offset = 0;
  std::uint64_t file_info_offset = 0;
  std::optional<std::uint64_t> first_data_block_offset = {};  // absent in a file without cells
  std::optional<std::uint64_t> last_data_block_offset = {};   // absent without cells; HBase 0.98 wrote 0
  std::uint64_t entry_count = 0;
  std::uint32_t index_levels = 0;
  std::uint32_t root_index_count = 0;
  std::uint32_t meta_block_count = 0;
  std::uint64_t data_index_bytes = 0;    // uncompressed
  std::uint64_t uncompressed_bytes = 0;  // total size of all blocks
  std::string comparator = {};
  RowOrder row_order = RowOrder::kBytes;  // from the comparator's name
  std::string compression = {};
  std::string encoding = {};
  bool has_tags = false;
  bool has_mvcc = false;
  std::string bloom_type = {};           // "NONE" without a filter
  std::uint32_t bloom_prefix_bytes = 0;  // for ROWPREFIX_FIXED_LENGTH
  std::optional<HFileBloomFacts> bloom = {};
  std::optional<HFileBloomFacts> delete_family_bloom = {};
  std::optional<HFileBloomFacts> second_bloom = {};  // of columns, next to one of rows; HBase ignores it
  std::map<std::string, std::string, std::less<>> file_info = {};  // all names and values
};

// Counters since the file was opened.
struct HFileCounters {
  // Blocks that were read from disk:
  std::uint64_t data_blocks = 0;
  std::uint64_t index_blocks = 0;
  std::uint64_t bloom_chunks = 0;
  std::uint64_t other_blocks = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t cache_hits = 0;             // blocks from a cache, which the counts above do not include
  std::uint64_t damaged_bloom_answers = 0;  // maybe, because a chunk could not be read

  HFileCounters& operator+=(const HFileCounters& other) {
    data_blocks += other.data_blocks;
    index_blocks += other.index_blocks;
    bloom_chunks += other.bloom_chunks;
    other_blocks += other.other_blocks;
    bytes_read += other.bytes_read;
    cache_hits += other.cache_hits;
    damaged_bloom_answers += other.damaged_bloom_answers;
    return *this;
  }
};

}  // namespace bloomery
