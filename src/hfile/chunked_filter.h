// A Bloom filter of an HFile: its meta block, which is kept in memory, and its chunks, which are read when
// they are queried.
//
// A query reads a chunk in one of three ways:
//
//   chunk in memory (keep_chunks()):   its bits are tested in memory
//   read before, directly from a file: only the runs that have bits of the key are read (block_runs.h)
//   otherwise:                         the complete chunk is read through the source
//
// keep_chunks() keeps each chunk that was read, as long as half of the file's memory is free.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "hfile/block.h"
#include "hfile/block_runs.h"
#include "hfile/block_source.h"
#include "hfile/bloom/bloom_chunk.h"
#include "hfile/bloom/bloom_hash.h"
#include "hfile/bloom/bloom_meta.h"
#include "hfile/bloom/chunk_directory.h"

namespace bloomery::hfile {

// The meta block with the list of chunks of a file's second filter. It has the form of a Bloom meta block;
// HBase does not know the name and reads the file as one with the first filter alone.
inline constexpr std::string_view kColumnFilterBlock = "BLOOMERY_COLUMN_FILTER";

class ChunkedFilter {
 public:
  // Errors: kCorruption; kUnsupported for another version, hash or comparator; kCapacity.
  static Result<ChunkedFilter> make(BlockPointer meta_block, RowOrder row_order = RowOrder::kBytes);

  const hbase::BloomMeta& meta() const { return meta_; }
  std::uint64_t offset() const { return block_->offset(); }  // of the meta block
  // Keeps chunks in memory from now on, after they were read.
  void keep_chunks() { kept_ = std::make_unique<Known<BlockPointer>>(meta_.chunks.size(), block_->memory()); }
  // Returns true if the key may be in the filter. `key` has the bytes that the filter's type hashes
  // (bloom_key.h). Errors: the chunk could not be read. The caller then answers maybe.
  Result<bool> may_contain(BlockSource& source, std::string_view key) const {
    return may_contain(source, key, hash(key));
  }
  // The same query for a key whose hash() is known. Filters with the same hash function share it.
  Result<bool> may_contain(BlockSource& source, std::string_view key, hbase::HashPair pair) const;
  hbase::HashPair hash(std::string_view key) const { return hbase::hash_pair(meta_.hash, key); }

  // Sets the last key of the filter, which makes chunk lookup faster. It must outlive the filter.
  void know_last_key(std::string_view key) { directory_ = hbase::ChunkDirectory(meta_, key); }
  const hbase::ChunkDirectory& directory() const { return directory_; }
  // Returns the bytes of a chunk that is in memory, or nothing.
  std::optional<std::span<const std::byte>> chunk_in_memory(std::size_t chunk) const {
    const BlockPointer* const kept = kept_ ? kept_->at(chunk) : nullptr;
    return kept == nullptr ? std::nullopt : std::optional((*kept)->payload());
  }

  // The first half of may_contain(), for batches of filters or keys: their cache misses then overlap.
  enum class Probed {
    kNo,
    kAsk,      // `probe` has the query
    kUnknown,  // the chunk is not in memory
  };
  Probed probe(std::string_view key, hbase::HashPair pair, hbase::ChunkProbe& probe) const {
    const std::size_t i = directory_.chunk_of(meta_, key);
    if (i == hbase::ChunkDirectory::kNone) {
      return Probed::kNo;
    }
    const auto chunk = chunk_in_memory(i);
    if (!chunk) {
      return Probed::kUnknown;
    }
    probe.start(*chunk, meta_.hash_count, pair);
    return Probed::kAsk;
  }

 private:
  // A value for each chunk, computed once and kept. A value is not kept if the file's memory has no room for
  // it. make() charges the slots. Thread-safe: set() is locked, at() needs no lock.
  template <typename T>
  class Known {
   public:
    Known(std::size_t count, std::shared_ptr<MemoryBudget> budget)
        : slots_(count), memory_(std::move(budget)) {}

    // Returns null if the value is not known.
    const T* at(std::size_t i) const { return slots_[i].load(std::memory_order_acquire); }
    void set(std::size_t i, T value, std::uint64_t bytes) {
      const std::lock_guard lock(mutex_);
      if (at(i) == nullptr && memory_.try_add(sizeof(T) + bytes)) {
        slots_[i].store(&owned_.emplace_back(std::move(value)), std::memory_order_release);
      }
    }

   private:
    std::vector<std::atomic<const T*>> slots_;
    std::mutex mutex_;
    std::deque<T> owned_;  // a deque, so that elements keep their addresses
    MemoryShare memory_;   // charge for owned_
  };

  BlockAddress address_of(std::size_t chunk) const {
    const hbase::ChunkEntry& entry = meta_.chunks[chunk];
    return {.kind = BlockKind::kBloomChunk, .offset = entry.block_offset, .on_disk_bytes = entry.block_bytes};
  }
  Result<bool> ask_runs(FileBlockSource& file, std::size_t chunk, const BlockRuns& runs,
                        hbase::HashPair pair) const;
  void learn(BlockSource& source, std::size_t i, BlockPointer block) const;

  ChunkedFilter(BlockPointer block, hbase::BloomMeta meta, MemoryShare memory)
      : block_(std::move(block)),
        memory_(std::move(memory)),
        meta_(std::move(meta)),
        directory_(meta_),
        runs_(std::make_unique<Known<BlockRuns>>(meta_.chunks.size(), block_->memory())) {}

  BlockPointer block_;  // the first keys in meta_ are views of it
  MemoryShare memory_;  // charge for meta_, directory_ and the slots
  hbase::BloomMeta meta_;
  hbase::ChunkDirectory directory_;
  std::unique_ptr<Known<BlockPointer>> kept_;  // null if chunks are read each time
  std::unique_ptr<Known<BlockRuns>> runs_;     // of chunks that were read completely
};

}  // namespace bloomery::hfile
