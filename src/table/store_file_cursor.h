// A position among the cells of a store file that knows in which data block it stands, and where a reader
// would begin who seeks what is not before it: what a merge of files counts blocks by.
//
// Goes forward only. Cells are views that hold until it moves.
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

  // Errors, here and below: those of BlockSource::read(), with the file in front; kCorruption.
  Status to_first();
  // To the first cell of the block that holds the row if any does, or of the file: not behind the row.
  Status to_block_of(std::string_view row);
  // Precondition: !is_at_end().
  Status next();

  bool is_at_end() const { return is_at_end_; }
  // Precondition: !is_at_end().
  const CellKey& key() const { return cells_.cell().key; }
  // The number of the position's data block, counted since the last to_...(); at the end, of the last one.
  std::uint64_t block() const { return block_; }
  // The block in which a seek for `target` begins: one in front of this one where the index has the target
  // there. Precondition: the cells before this one are before `target`, this one is not.
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
