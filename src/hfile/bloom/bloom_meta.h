// What ties the chunks of a Bloom filter together: its parameters, and the first key of each chunk.
//
//   i32 version 3 | i64 bytes of all chunks | i32 k | i32 hash | i64 keys | i64 max keys | i32 chunks
//   vint length, comparator's name              none where keys are bytes; ROWCOL's keys are those of cells
//   per chunk: i64 offset of its block | i32 size of the block on disk | vint length, first key
//
// Big-endian; counts and sizes are those after folding. Invariant: first keys ascend, in the order of the
// type. Source: docs/formats/hfile.md. Not here: other versions (101 is a ribbon); reading blocks.
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
#include "hfile/bloom/bloom_hash.h"

namespace bloomery::hbase {

enum class KeyOrder : std::uint8_t {
  kBytes,   // ROW, ROWPREFIX_FIXED_LENGTH and the delete markers' filter
  kRowCol,  // RowCol's
};

struct ChunkEntry {
  std::uint64_t block_offset = 0;
  std::uint32_t block_bytes = 0;  // on disk, with the block's header and checksums
  std::string_view first_key = {};
};

struct BloomMeta {
  std::uint64_t total_bytes = 0;
  std::uint32_t hash_count = 0;
  BloomHash hash = BloomHash::kMurmur;
  std::uint64_t key_count = 0;
  std::uint64_t max_keys = 0;
  KeyOrder order = KeyOrder::kBytes;
  std::vector<ChunkEntry> chunks = {};
};

// Returns the filter's parts; first keys are views of `payload`. `offset` is where the block is in its file,
// for messages. Errors: kCorruption; kUnsupported for another version, hash or comparator.
Result<BloomMeta> parse_bloom_meta(std::span<const std::byte> payload, std::uint64_t offset);

// Appends what parse_bloom_meta() reads, as HBase writes it.
void append_bloom_meta(std::string& out, const BloomMeta& meta);

// The chunk that has the key if any has: the last one whose first key is not behind it.
std::optional<std::size_t> chunk_of(const BloomMeta& meta, std::string_view key);

}  // namespace bloomery::hbase
