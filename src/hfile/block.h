// A block of an HFile in memory: verified and decompressed. It is immutable, so threads can share it. A
// reader can cache facts about its cells or entries in it, once (kept_once.h).
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
#include "hfile/block_memory.h"
#include "hfile/cell_starts.h"
#include "hfile/compression.h"
#include "hfile/index_rows.h"
#include "hfile/kept_once.h"

namespace bloomery::hfile {

// Tells if the block is likely to be sought in again. Only then is it worth building indexes of its cells.
enum class BlockLife { kShort, kKept };

class Block {
 public:
  // Makes a block object at the front of `memory`. The payload begins at byte `payload_begin`. If that is
  // kBlockHeaderBytes, the bytes are the complete block as stored on disk, with header and checksums. `share`
  // is the charge to the file's memory for the block.
  static std::shared_ptr<const Block> make(const BlockHeader& header, std::uint64_t offset,
                                           BlockMemory memory, std::size_t payload_begin,
                                           MemoryShare share = {}) {
    const std::byte* const bytes = memory.bytes().data();
    const std::span<std::byte> room = memory.room();
    return BlockMemory::make_in_front<Block>(std::move(memory), header, offset, bytes, room, payload_begin,
                                             std::move(share));
  }
  // Only for make(), whose comment explains the bytes. The bytes and the room must outlive the block.
  Block(const BlockHeader& header, std::uint64_t offset, const std::byte* bytes, std::span<std::byte> room,
        std::size_t payload_begin, MemoryShare share)
      : room_(room),
        payload_(bytes + payload_begin, header.uncompressed_bytes),
        bytes_(bytes),
        header_(header),
        offset_(offset),
        memory_(std::move(share)) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  const BlockHeader& header() const { return header_; }
  BlockKind kind() const { return header_.kind; }
  std::uint64_t offset() const { return offset_; }
  std::span<const std::byte> payload() const { return payload_; }
  // Prefetches the cache lines that a seek in the block reads first: the block and its room. They are
  // contiguous (block_memory.h), so no line is read to find another. The caller does this before it
  // increments the block's use count: the lines arrive during that atomic operation.
  void prefetch() const { prefetch_at(this); }
  // Like prefetch(), for an address at which a block was before and may still be.
  static void prefetch_at(const void* block) { BlockMemory::prefetch_front(block); }
  // The memory budget of the block's file; null if there is no budget.
  const std::shared_ptr<MemoryBudget>& memory() const { return memory_.budget(); }

  // The checksums as stored in the file. Empty if the payload was compressed: such a block keeps only its
  // payload.
  std::span<const std::byte> stored_checksums() const {
    if (payload_.data() != bytes_ + kBlockHeaderBytes) {
      return {};
    }
    return {bytes_ + header_.checked_bytes, header_.on_disk_bytes - header_.checked_bytes};
  }

  // A data block caches the offsets of its cells, and an index block the rows of its entries. They are stored
  // in the room, the memory reserved between this object and the block's bytes (block_memory.h), if it is
  // large enough. Thread-safe.
  KeptCellStarts& cell_starts() const { return cell_starts_; }
  KeptOnce<IndexRows>& index_rows() const { return index_rows_; }
  std::size_t room_bytes() const { return room_.size(); }
  // Returns the room as words. Only for the objects that are stored in it.
  template <typename Word>
  std::span<Word> room_of() const {
    return {reinterpret_cast<Word*>(room_.data()), room_.size() / sizeof(Word)};
  }

 private:
  // The members that a seek reads come first.
  mutable KeptCellStarts cell_starts_;
  mutable KeptOnce<IndexRows> index_rows_;
  std::span<std::byte> room_;
  std::span<const std::byte> payload_;
  const std::byte* bytes_;
  BlockHeader header_;
  std::uint64_t offset_;
  MemoryShare memory_;
};

using BlockPointer = std::shared_ptr<const Block>;

// Makes a block from its bytes on disk, `stored`:
//
//   1. The header is parsed, and must state the same size.
//   2. The checksums are verified.
//   3. The payload's size is checked: it is at most `max_bytes`, and at most what the stored bytes can
//      decompress to. Without compression it is the stored size.
//   4. The size is charged to `memory`, a share which the block keeps, before the payload is allocated.
//   5. The payload is decompressed. Without compression, the block keeps `stored`.
//
// `life` decides whether the block gets a room for cell offsets or index rows.
//
// Errors: kCorruption, kUnsupported; kCapacity above `max_bytes` or the budget.
Result<BlockPointer> make_block(BlockMemory stored, std::uint64_t offset, Compression compression,
                                std::uint64_t max_bytes, MemoryShare memory = {},
                                BlockLife life = BlockLife::kShort);

// Returns the size of the room (block_memory.h) for a block with such a payload, in bytes.
inline std::size_t room_of_block(BlockKind kind, std::size_t payload_bytes, BlockLife life) {
  if (life != BlockLife::kKept) {
    return 0;
  }
  switch (kind) {
    case BlockKind::kData:
      return CellStarts::usual_bytes(payload_bytes);
    case BlockKind::kLeafIndex:
    case BlockKind::kIntermediateIndex:
      return IndexRows::usual_bytes(payload_bytes);
    default:
      return 0;
  }
}

}  // namespace bloomery::hfile
