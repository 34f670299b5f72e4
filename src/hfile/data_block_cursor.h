// A position among the cells of one data block, of any encoding.   Calls: start, then any of the others
//
// An encoded cell is stored as its difference from the previous cell, so a block can only be decoded forward.
// The cursor therefore has two states:
//
//   streaming    after start() and seek(); step() and next() remain in it
//                decoder_ decodes one cell at a time; nothing is allocated for a plain cell
//   collected    after previous(), last() and seek_before()
//                cells_ lists all cells of the block; step() and next() walk the list
//
// start() and seek() return to streaming and drop the list. The list, and copies of keys and tags that are
// not views of the block, are charged to the memory of the block's file.
//
// Invariants:
//
//   - cell_ is the cell that the last successful call found. It consists of views of the block or of the
//     cursor's buffers, which are valid until the cursor moves.
//   - Streaming: decoder_ is positioned after cell_, or before the first cell of the block.
//   - Collected: cell_ is cells_[at_], and at_ == cells_.size() is the end.
//   - block_ keeps the block alive, and with it all views.
//   - After an error of start() the block has no cells; no cell of the previous block is reachable.
//
// Source: HBase's HFileReaderImpl, and the seekers of its DataBlockEncoders; docs/formats/hfile.md.
// scan_state.h moves from block to block; encoding/ has the encodings.
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

// Copies of bytes whose addresses stay stable while others are added.
class ByteArena {
 public:
  // Copies the bytes. Errors: kCapacity above the budget.
  Result<std::string_view> keep(std::string_view bytes);
  // Drops all bytes. Later ones are charged to `budget`.
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

// Returns true if the cells of such blocks are stored as without an encoding.
constexpr bool is_plain(DataEncoding encoding) {
  return encoding == DataEncoding::kNone || encoding == DataEncoding::kRowIndexV1;
}

class DataBlockCursor {
 public:
  // Moves before the first cell of `block`. `life` decides if building the block's cell offsets is worth it
  // (cell_starts.h). Errors: kCorruption, also if the block has another encoding.
  Status start(BlockPointer block, DataEncoding encoding, const CellLayout& layout,
               BlockLife life = BlockLife::kShort);

  // Moves to the next cell. To keep the call cheap, Step::kDamaged has no message; damaged_cell() returns it.
  Step step() {
    if (collected_) {
      return go_to(at_ + 1) ? Step::kCell : Step::kEnd;
    }
    PlainCells* const cells = plain();
    return cells != nullptr ? take(*cells) : take_encoded();
  }
  Error damaged_cell() const { return damaged("a cell"); }

  // All of these return false if there is no such cell. Errors: kCorruption; kCapacity from previous(),
  // last() and seek_before(), which list the block's cells.
  Result<bool> next();
  Result<bool> previous();
  Result<bool> last();
  // Moves to the first cell that is not before `key`.
  Result<bool> seek(const CellKey& key);
  // Moves to the last cell that is before `key`.
  Result<bool> seek_before(const CellKey& key);

  // Precondition: the last call found a cell.
  const Cell& cell() const { return cell_; }

 private:
  Status rewind(std::size_t cell_start);
  Result<bool> walk_to(const CellKey& key);
  const CellStarts* cell_starts() const;
  void choose_decoder();
  Status find_cells();
  // Returns the decoder if the block's cells are plain (NONE and ROW_INDEX_V1); null otherwise.
  PlainCells* plain() { return std::get_if<PlainCells>(&decoder_); }
  Step decode(FlatCell& cell) {
    PlainCells* const cells = plain();
    return cells != nullptr ? cells->next(cell) : decode_encoded(cell);
  }
  Step decode_encoded(FlatCell& cell);
  // Decodes the next cell into cell_. `flat` is a local of this function: the compiler keeps it in registers
  // as long as no other function gets its address.
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
  std::span<const std::byte> payload_;  // the payload of block_, without the id of the encoding
  RowIndex row_index_;
  std::variant<PlainCells, PrefixCells, DiffCells, FastDiffCells> decoder_;
  Cell cell_;
  std::vector<Cell> cells_;  // all cells of the block, in the state "collected"
  MemoryShare cells_memory_;
  std::size_t at_ = 0;  // index into cells_
  bool collected_ = false;
  bool has_cells_ = false;  // collect() ran since the last rewind(), so cells_ and arena_ may hold memory
  ByteArena arena_;
};

}  // namespace bloomery::hfile
