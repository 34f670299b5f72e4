// A block of an HFile in memory: verified and decompressed. It never changes, so that threads can share it. A
// reader can keep with it, once, what it finds out about its cells or entries (kept_once.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "hfile/block_header.h"
#include "hfile/cell_starts.h"
#include "hfile/compression.h"
#include "hfile/kept_once.h"
#include "hfile/row_heads.h"

namespace bloomery::hfile {

// Whether the block is likely to be sought in again. Only then does it pay to build what makes a seek short.
enum class BlockLife { kShort, kKept };

// The rows of the keys in an index block, and the memory they are charged with.
struct IndexRows {
  RowHeads<std::uint64_t> heads;
  MemoryShare memory;
};

class Block {
 public:
  // `bytes` holds the payload from `payload_begin` on. If that is kBlockHeaderBytes, `bytes` is the whole
  // block as it is on disk, with header and checksums. `memory` is the share of the file's memory that the
  // block is charged with.
  Block(const BlockHeader& header, std::uint64_t offset, std::unique_ptr<std::byte[]> bytes,
        std::size_t payload_begin, MemoryShare memory = {})
      : header_(header),
        offset_(offset),
        bytes_(std::move(bytes)),
        payload_(bytes_.get() + payload_begin, header.uncompressed_bytes),
        memory_(std::move(memory)) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  const BlockHeader& header() const { return header_; }
  BlockKind kind() const { return header_.kind; }
  std::uint64_t offset() const { return offset_; }
  std::span<const std::byte> payload() const { return payload_; }
  // Prefetches the cache lines that a seek in the block reads first. The caller does this before it counts a
  // user of the block, an atomic operation during which the lines arrive.
  void prefetch() const {
    __builtin_prefetch(this);
    __builtin_prefetch(&cell_starts_);
  }
  // The memory budget of the block's file; null if nobody counts.
  const std::shared_ptr<MemoryBudget>& memory() const { return memory_.budget(); }

  // The checksums as they are in the file. Empty if the payload was compressed: the block then keeps its
  // payload only.
  std::span<const std::byte> stored_checksums() const {
    if (payload_.data() != bytes_.get() + kBlockHeaderBytes) {
      return {};
    }
    return {bytes_.get() + header_.checked_bytes, header_.on_disk_bytes - header_.checked_bytes};
  }

  // Results that are kept with the block: the offsets of a data block's cells, the rows of an index block's
  // entries. Thread-safe.
  KeptOnce<CellStarts>& cell_starts() const { return cell_starts_; }
  // Whether somebody has sought in the block before; the first call returns false.
  bool was_sought() const {
    return was_sought_.load(std::memory_order_relaxed) ||
           was_sought_.exchange(true, std::memory_order_relaxed);
  }
  KeptOnce<IndexRows>& index_rows() const { return index_rows_; }

 private:
  BlockHeader header_;
  std::uint64_t offset_;
  std::unique_ptr<std::byte[]> bytes_;
  std::span<const std::byte> payload_;
  MemoryShare memory_;
  mutable KeptOnce<CellStarts> cell_starts_;
  mutable KeptOnce<IndexRows> index_rows_;
  mutable std::atomic<bool> was_sought_{false};
};

using BlockPointer = std::shared_ptr<const Block>;

// Makes a block of its `size` bytes on disk, `stored`:
//
//   1. The header is parsed, and must say the same size.
//   2. The checksums are verified.
//   3. The payload's size is checked: it is at most `max_bytes`, and at most what the stored bytes can
//      become. Without compression it is the stored size.
//   4. The size is charged to `memory`, a share which the block keeps. Nothing is allocated before.
//   5. The payload is decompressed. Without compression, the block keeps `stored`.
//
// Errors: kCorruption, kUnsupported; kCapacity above `max_bytes` or the budget.
Result<BlockPointer> make_block(std::unique_ptr<std::byte[]> stored, std::size_t size, std::uint64_t offset,
                                Compression compression, std::uint64_t max_bytes, MemoryShare memory = {});

}  // namespace bloomery::hfile
