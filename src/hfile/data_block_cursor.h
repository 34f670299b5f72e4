// A position among the cells of one data block, of any encoding.   Calls: start, then any of the others
//
// Going forward decodes cell by cell. Going back first decodes the whole block into a list of its cells,
// which the cursor keeps until the next start: encodings know only what comes next. The list, and copies of
// keys and tags that are not views of the block, are charged to the memory of the block's file. Cells are
// views of the block, or of the cursor's buffers; they hold until the cursor moves.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/hfile_choices.h"
#include "hfile/block.h"
#include "hfile/cell_starts.h"
#include "hfile/encoding/diff_cells.h"
#include "hfile/encoding/fast_diff_cells.h"
#include "hfile/encoding/flat_cell.h"
#include "hfile/encoding/plain_cells.h"
#include "hfile/encoding/prefix_cells.h"
#include "hfile/encoding/row_index.h"
#include "hfile/flat_key.h"

namespace bloomery::hfile {

// Bytes that stay where they are while others are added.
class ByteArena {
 public:
  // Errors: kCapacity above the budget.
  Result<std::string_view> keep(std::string_view bytes);
  // Forgets all; what comes is charged to `budget`.
  void start(const std::shared_ptr<MemoryBudget>& budget) {
    pieces_.clear();
    left_ = {};
    memory_ = MemoryShare(budget);
  }

 private:
  std::vector<std::unique_ptr<char[]>> pieces_;
  std::span<char> left_;
  MemoryShare memory_;
};

class DataBlockCursor {
 public:
  // Stands before the first cell. Errors: kCorruption, also when the block is of another encoding.
  Status start(BlockPointer block, DataEncoding encoding, const CellLayout& layout,
               BlockLife life = BlockLife::kShort);

  // Goes to the next cell. kDamaged has no words: damaged_cell() does.
  Step step() {
    if (collected_) {
      return go_to(at_ + 1) ? Step::kCell : Step::kEnd;
    }
    PlainCells* const cells = plain();
    return cells != nullptr ? take(*cells) : take_encoded();
  }
  Error damaged_cell() const { return damaged("a cell"); }

  // Errors, of all of them: kCorruption; of those that go back, kCapacity too. False where there is no such
  // cell.
  Result<bool> next();
  Result<bool> previous();
  Result<bool> last();
  // The first cell that is not before `key`.
  Result<bool> seek(const CellKey& key);
  // The last cell that is before `key`.
  Result<bool> seek_before(const CellKey& key);

  // Precondition: the last call found a cell.
  const Cell& cell() const { return cell_; }

 private:
  Status rewind(std::size_t cell_start);
  const CellStarts* cell_starts() const;
  void choose_decoder();
  Status find_cells();
  // The decoder of a block whose cells lie there as they are and are views of the block; null of another.
  PlainCells* plain() { return std::get_if<PlainCells>(&decoder_); }
  Step decode(FlatCell& cell) {
    PlainCells* const cells = plain();
    return cells != nullptr ? cells->next(cell) : decode_encoded(cell);
  }
  Step decode_encoded(FlatCell& cell);
  // Makes the next cell of the decoder cell_. Each decoder has its own `flat`: one that no other function is told
  // of stays in registers.
  template <typename Cells>
  Step take(Cells& cells) {
    FlatCell flat;
    const Step step = cells.next(flat);
    if (step == Step::kCell) {
      if (!read_flat_key(flat.key, cell_.key)) {
        return Step::kDamaged;
      }
      cell_.value = flat.value;
      cell_.tags = flat.tags;
      cell_.mvcc = flat.mvcc;
    }
    return step;
  }
  Step take_encoded();
  Status collect();
  void forget_cells();
  Status make_room_for_cell();
  bool go_to(std::size_t i);
  std::size_t position() const;
  Error damaged(const char* expected) const;

  BlockPointer block_;
  DataEncoding encoding_ = DataEncoding::kNone;
  CellLayout layout_;
  BlockLife life_ = BlockLife::kShort;
  std::span<const std::byte> payload_;  // without the number of the encoding
  RowIndex row_index_;
  std::variant<PlainCells, PrefixCells, DiffCells, FastDiffCells> decoder_;
  Cell cell_;
  std::vector<Cell> cells_;  // of all the block, once it was collected
  MemoryShare cells_memory_;
  std::size_t at_ = 0;  // in cells_; its size is the end
  bool collected_ = false;
  bool has_cells_ = false;  // collect() was called since the last rewind, and may have taken memory
  ByteArena arena_;
};

}  // namespace bloomery::hfile
