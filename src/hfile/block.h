// A block of an HFile in memory: checked, decompressed, and never changed again, so that it can be shared.
// What a reader finds out about its cells can be kept with it.
#pragma once

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

// Whether the block is likely to be sought in again, so that what makes a seek short is worth finding out.
enum class BlockLife { kShort, kKept };

// The rows of the keys in an index block.
struct IndexRows {
  RowHeads<std::uint64_t> heads;
  MemoryShare memory;
};

class Block {
 public:
  // `bytes` holds the payload from `payload_begin` on; behind a header it is the whole block as it is on
  // disk. `memory` is the block's share of what its file may take.
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
  // Fetches into the cache what a seek in it will read first: before its users are counted, which waits.
  void prefetch() const {
    __builtin_prefetch(this);
    __builtin_prefetch(&cell_starts_);
  }
  // Of the file that it is of; null where nobody counts.
  const std::shared_ptr<MemoryBudget>& memory() const { return memory_.budget(); }

  // As they lie in the file; empty when the payload was compressed.
  std::span<const std::byte> stored_checksums() const {
    if (payload_.data() != bytes_.get() + kBlockHeaderBytes) {
      return {};
    }
    return {bytes_.get() + header_.checked_bytes, header_.on_disk_bytes - header_.checked_bytes};
  }

  // Where its cells begin, of a data block, and the rows of its entries, of an index block. Thread-safe.
  KeptOnce<CellStarts>& cell_starts() const { return cell_starts_; }
  KeptOnce<IndexRows>& index_rows() const { return index_rows_; }

 private:
  BlockHeader header_;
  std::uint64_t offset_;
  std::unique_ptr<std::byte[]> bytes_;
  std::span<const std::byte> payload_;
  MemoryShare memory_;
  mutable KeptOnce<CellStarts> cell_starts_;
  mutable KeptOnce<IndexRows> index_rows_;
};

using BlockPointer = std::shared_ptr<const Block>;

// Makes a block of its bytes on disk, of which `size` are at `stored`: its header is parsed, its checksums
// verified, its payload decompressed. Nothing larger than `max_bytes` is allocated, nothing that the
// stored bytes could not fill, and nothing before it is charged to `memory`, which the block keeps. Errors:
// kCorruption, kUnsupported; kCapacity above `max_bytes` or the budget.
Result<BlockPointer> make_block(std::unique_ptr<std::byte[]> stored, std::size_t size, std::uint64_t offset,
                                Compression compression, std::uint64_t max_bytes, MemoryShare memory = {});

}  // namespace bloomery::hfile
