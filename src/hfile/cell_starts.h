// Where the cells of a data block that is not encoded begin, so that a seek halves instead of walking.
//
// Made by one walk over a block that stays in memory, and kept with it: 4 bytes a cell. Only of a block whose
// cells are all sound and in order, so that halving finds what walking would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/hfile/cell.h"
#include "hfile/encoding/flat_cell.h"

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
  std::vector<std::uint32_t> starts_;
  MemoryShare memory_;
};

}  // namespace bloomery::hfile
