// The cells of one row that a get or a scan returns. A result owns their bytes.
//
// Example:
//    RowResult result;
//    result.append({.key = {.row = "r", .family = "f", .qualifier = "q"}, .value = "v"});
//    std::cout << result.row() << " has " << result.cells().size() << " cells\n";
//
// A cleared result keeps the buffers of its cells for later ones, 16 KiB at most. Values can be moved and not
// copied. Threads: one thread may change a value; const calls may run together.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/hfile/cell.h"

namespace bloomery {

// A cell that owns its bytes.
class KeptCell {
  struct Room {
    std::unique_ptr<char[]> bytes = nullptr;
    std::size_t size = 0;
  };

 public:
  explicit KeptCell(const Cell& cell) : KeptCell(cell, Room()) {}
  // Only for RowResult, which reuses buffers. The bytes are copied into the room's buffer if they fit.
  KeptCell(const Cell& cell, Room room);

  // Returns views that are valid as long as the KeptCell, also after it was moved.
  const Cell& cell() const { return cell_; }

 private:
  friend class RowResult;

  Room room_;
  Cell cell_;
};

class RowResult {
 public:
  // Precondition: the cell is of the same row as the cells before it.
  void append(const Cell& cell);
  void clear();

  bool empty() const { return cells_.empty(); }
  std::size_t size() const { return cells_.size(); }
  // Returns the cells in HBase's order.
  const std::vector<KeptCell>& cells() const { return cells_; }
  std::vector<KeptCell>& cells() { return cells_; }
  // Precondition: !empty().
  std::string_view row() const { return cells_.front().cell().key.row; }

 private:
  std::vector<KeptCell> cells_;
  std::vector<KeptCell> cleared_;  // append() reuses their buffers, in this order
  std::size_t used_again_ = 0;     // the buffers of cleared_ that cells_ reuses
  std::size_t room_bytes_ = 0;     // the sizes of the buffers of cells_
};

}  // namespace bloomery
