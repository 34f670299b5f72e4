// Where the cells of a data block that is not encoded begin, so that a seek halves instead of walking.
//
// Made by two walks over a block that stays in memory, and kept with it: about 8 bytes a cell, 4 of them a
// number that stands for the row (row_heads.h), so that a seek reads the cell it finds and few others. Only of a
// block whose cells are all sound and in order, so that halving finds what walking would.
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
  // Null when the block is damaged, its keys go backwards, or `memory` has no room for it: a walk then finds
  // what there is.
  static std::unique_ptr<const CellStarts> of(std::span<const std::byte> payload, const CellLayout& layout,
                                              MemoryShare memory = {});

  // Where the first cell begins that is not before `key`; the payload's size when there is none.
  std::size_t seek(std::span<const std::byte> payload, const CellKey& key) const;

 private:
  RowHeads<std::uint32_t> rows_;
  std::vector<std::uint32_t> starts_;
  MemoryShare memory_;
};

}  // namespace bloomery::hfile
