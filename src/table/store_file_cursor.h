// A position among the cells of a store file that also counts data blocks. A merge of files uses it to count
// the blocks that a get would read. These are the block of the position, and the block in which a seek would
// begin.
//
// It moves forward only. Cells are views that are valid until it moves.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bloomery/base/result.h"
#include "hfile/block_index.h"
#include "hfile/data_block_cursor.h"
#include "hfile/recognition.h"

namespace bloomery::table {

class StoreFileCursor {
 public:
  explicit StoreFileCursor(hfile::OpenFilePointer file)
      : file_(std::move(file)), index_(file_->index(), file_->source()) {}

  // Moves to the first cell of the file. Errors of all moves, prefixed with the file: kCorruption, kIo,
  // kUnsupported, kCapacity.
  Status to_first();
  // Moves to the first cell of the block in which a seek for the row begins; its index key is not after the
  // row. If there is no such block, moves to the first cell of the file.
  Status to_block_of(std::string_view row);
  // Precondition: !is_at_end().
  Status next();

  bool is_at_end() const { return is_at_end_; }
  // Precondition: !is_at_end().
  const CellKey& key() const { return cells_.cell().key; }
  // Precondition: !is_at_end().
  std::size_t value_bytes() const { return cells_.cell().value.size(); }
  // Returns the number of the position's data block, counted from 1 after to_first(), or from 2 after
  // to_block_of() if it found a block. At the end it is the number of the last block.
  std::uint64_t block() const { return block_; }
  // Returns the number of the block in which a seek for `target` begins. It is the previous block if `target`
  // is before this block's index key. Precondition: the cells before this one are before `target`, and this
  // one is not.
  std::uint64_t landing(const CellKey& target) const {
    return is_first_in_block_ && block_ > 1 && target < separator_ ? block_ - 1 : block_;
  }
  const hfile::OpenFile& file() const { return *file_; }

 private:
  Status start_block();
  Status named(const Status& status) const;

  hfile::OpenFilePointer file_;
  hfile::IndexCursor index_;
  hfile::DataBlockCursor cells_;
  CellKey separator_;  // the block's key in the index
  std::uint64_t block_ = 1;
  bool is_first_in_block_ = false;
  bool is_at_end_ = true;
};

}  // namespace bloomery::table
