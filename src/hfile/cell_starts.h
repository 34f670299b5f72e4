// The offsets of the cells in a data block that is not encoded. With them a seek is a binary search instead
// of a walk over the cells.
//
// They are built by two walks over a block that stays in memory, and kept with it (KeptCellStarts). They
// need about 8 bytes per cell: 4 for the offset, and 4 for the head of the row (row_heads.h). Thanks to the
// heads a seek reads the cell that it finds and few others.
//
// Invariant: they exist only for a block whose cells are all valid and in order. So binary search finds the
// cell that a walk would find.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/memory_budget.h"
#include "bloomery/hfile/cell.h"
#include "hfile/encoding/flat_cell.h"
#include "hfile/kept_once.h"
#include "hfile/row_heads.h"

namespace bloomery::hfile {

class CellStarts {
 public:
  CellStarts() = default;
  // Returns nothing if the block is damaged, its keys are out of order, or `memory` is used up. The caller
  // then walks the block. The offsets are stored in `room`, which must outlive them, if it is large enough.
  // Otherwise they are allocated and charged to `memory`.
  static std::optional<CellStarts> of(std::span<const std::byte> payload, const CellLayout& layout,
                                      std::span<std::uint32_t> room = {}, MemoryShare memory = {});
  // Returns the size of the room (block_memory.h) that is enough for most tables: for cells of 100 bytes and
  // more.
  static constexpr std::size_t usual_bytes(std::size_t payload_bytes) { return payload_bytes / 48 * 4; }

  // Returns the offset of the first cell that is not before `key`, or the payload's size if there is none.
  std::size_t seek(std::span<const std::byte> payload, const CellKey& key) const;

 private:
  RowHeads<std::uint32_t> rows_;
  const std::uint32_t* starts_ = nullptr;   // one for each row
  std::unique_ptr<std::uint32_t[]> owned_;  // null if rows and starts are in the room
  MemoryShare memory_;
};

// The offsets of a block's cells, built when the block is sought in for the second time. In a cache that is
// too small, most blocks are evicted before that. Thread-safe (kept_once.h).
class KeptCellStarts {
 public:
  // Counts a seek in the block, and returns its offsets, or null if there are none. They are built in the
  // room if they fit. The arguments are those of CellStarts::of(), and must not change between calls.
  const CellStarts* at_seek(std::span<const std::byte> payload, const CellLayout& layout,
                            std::span<std::uint32_t> room, const std::shared_ptr<MemoryBudget>& budget) {
    if (!was_sought_.load(std::memory_order_relaxed)) {
      was_sought_.store(true, std::memory_order_relaxed);
      return nullptr;
    }
    return starts_.get_or([&] { return CellStarts::of(payload, layout, room, MemoryShare(budget)); });
  }

 private:
  KeptOnce<CellStarts> starts_;
  std::atomic<bool> was_sought_ = false;
};

}  // namespace bloomery::hfile
