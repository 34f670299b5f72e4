// The meta block of a Bloom filter: its parameters, and the address and first key of each chunk.
//
//   i32 version 3 | i64 bytes of all chunks | i32 k | i32 hash | i64 keys | i64 max keys | i32 chunks
//   vint length | comparator's name              empty if keys are bytes; that of cells for ROWCOL
//   per chunk:  i64 offset of its block | i32 size of the block on disk | vint length | first key
//
// Integers are big-endian. Counts and sizes are those after folding. Invariant: the first keys ascend in the
// order of the filter's type.
//
// k may be 0. HBase computes 0 for error rates above 0.62, since it divides integers (bloom_sizing.h). Such a
// filter has a chunk for each key, without bits, and answers maybe to every key that is not before the first
// key of all chunks.
//
// Source: HBase's CompoundBloomFilter and CompoundBloomFilterWriter; docs/formats/hfile.md. Other versions
// are not supported (101 is a ribbon filter). chunked_filter.h reads blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "bloomery/hfile/row_order.h"
#include "hfile/bloom/bloom_hash.h"

namespace bloomery::hbase {

enum class KeyOrder : std::uint8_t {
  kBytes,   // for ROW, ROWPREFIX_FIXED_LENGTH and the delete-family filter
  kRowCol,  // for ROWCOL: the order of RowCol
};

struct ChunkEntry {
  std::uint64_t block_offset = 0;
  std::uint32_t block_bytes = 0;  // on disk, with the block's header and checksums
  std::string_view first_key = {};
};

struct BloomMeta {
  std::uint64_t total_bytes = 0;
  std::uint32_t hash_count = 0;  // 0 to 255
  BloomHash hash = BloomHash::kMurmur;
  std::uint64_t key_count = 0;
  std::uint64_t max_keys = 0;
  KeyOrder order = KeyOrder::kBytes;
  RowOrder row_order = RowOrder::kBytes;  // the file's order of rows
  std::vector<ChunkEntry> chunks = {};
};

// Parses the block; first keys are views of `payload`. Error messages name `offset`, the block's position in
// its file. In a file of hbase:meta, keys were added in that order and first keys ascend in it, though HBase
// names the comparator of other tables in the block. Errors: kCorruption; kUnsupported for another version,
// hash or comparator.
Result<BloomMeta> parse_bloom_meta(std::span<const std::byte> payload, std::uint64_t offset,
                                   RowOrder row_order = RowOrder::kBytes);

// Appends a block that parse_bloom_meta() reads, with the bytes that HBase writes.
void append_bloom_meta(std::string& out, const BloomMeta& meta);

// Returns the only chunk that can hold the key: the last one whose first key is not after it. Returns
// nothing if the key is before all first keys.
std::optional<std::size_t> chunk_of(const BloomMeta& meta, std::string_view key);

}  // namespace bloomery::hbase
