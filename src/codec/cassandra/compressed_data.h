// Reads parts of Data.db, which may be compressed in chunks, of sstables from version ma on.
//
// CompressionInfo.db, which is there if Data.db is compressed, big-endian:
//
//   u16 length, the class of the compressor | u32 n | n x (u16 length, name, u16 length, value)
//   u32 chunk size | u32 limit (from na on) | u64 size of the data
//   u32 chunks | chunks x u64 offset in Data.db
//
// A chunk of Data.db is its compressed bytes and their CRC-32. It holds chunk-size bytes of the data; the
// last one holds fewer, or none. A chunk of at least `limit` bytes is not compressed; zeros fill it up to the
// limit. A chunk of LZ4 begins with the size of its data as little-endian u32. Without a CompressionInfo.db,
// Data.db is the data.
//
// The CRC of every chunk that is read is checked. Memory: one chunk. Source: docs/formats/cassandra.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "codec/cassandra/sstable_name.h"
#include "compress/block_decompress.h"

namespace bloomery {

class CompressedData {
 public:
  // Both files must outlive this object. Errors: kCorruption; kUnsupported for an unknown compressor.
  static Result<CompressedData> open(std::span<const std::byte> data,
                                     std::optional<std::span<const std::byte>> compression_info,
                                     const CassandraLayout& layout, std::shared_ptr<MemoryBudget> memory);

  std::uint64_t size() const { return size_; }
  // Copies the bytes at a position of the data before compression. Ascending positions decompress each chunk
  // once. Errors: kCorruption, also if the data ends before; kCapacity for the memory of a chunk.
  Status read(std::uint64_t position, std::span<std::byte> out);

 private:
  CompressedData(std::span<const std::byte> data, std::shared_ptr<MemoryBudget> memory)
      : data_(data), size_(data.size()), memory_(std::move(memory)) {}

  Status read_info(std::span<const std::byte> info, bool has_limit);
  Result<std::span<const std::byte>> stored_chunk(std::uint64_t number) const;
  Result<std::size_t> expand(std::span<const std::byte> stored, std::uint64_t size);
  Status make_room(std::span<const std::byte> stored, std::uint64_t size);
  Status load_chunk(std::uint64_t number);

  std::span<const std::byte> data_;
  std::uint64_t size_;
  bool is_compressed_ = false;
  std::optional<BlockCodec> codec_;  // none: NoopCompressor
  std::uint64_t chunk_size_ = 0;
  std::uint64_t limit_ = ~std::uint64_t{0};
  std::span<const std::byte> offsets_;
  std::optional<std::uint64_t> loaded_;  // the number of the chunk in `chunk_`
  std::vector<std::byte> chunk_;
  MemoryShare memory_;
};

}  // namespace bloomery
