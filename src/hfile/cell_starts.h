// The offsets of the cells in a data block that is not encoded. With them a seek halves instead of walking
// the cells.
//
// They are built by two walks over a block that stays in memory, and kept with it (Block::cell_starts). They
// take about 8 bytes a cell: 4 for the offset, and 4 for a number that stands for the row (row_heads.h).
// Thanks to the numbers a seek reads the cell that it finds and few others.
//
// Invariant: they exist only for a block whose cells are all sound and in order. So halving finds the cell
// that walking would find.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/hfile/cell.h"
#include "hfile/encoding/flat_cell.h"
#include "hfile/row_heads.h"

namespace bloomery::hfile {

class CellStarts {
 public:
  // Returns null if the block is damaged, its keys go backwards, or `memory` has no room. The caller then
  // walks the block.
  static std::unique_ptr<const CellStarts> of(std::span<const std::byte> payload, const CellLayout& layout,
                                              MemoryShare memory = {});

  // Returns the offset of the first cell that is not before `key`, or the payload's size if there is none.
  std::size_t seek(std::span<const std::byte> payload, const CellKey& key) const;

 private:
  RowHeads<std::uint32_t> rows_;
  std::vector<std::uint32_t> starts_;
  MemoryShare memory_;
};

}  // namespace bloomery::hfile
