#include "hfile/scan_state.h"

#include <string>

namespace bloomery::hfile {
namespace {

Error without_cells(const Block& block) {
  return Error::corruption(block_kind_name(block.kind()), block.offset(), "a cell at least", "none");
}

Error elsewhere(const Block& block, const char* which, std::uint64_t expected) {
  return Error::corruption(
      block_kind_name(block.kind()), block.offset(),
      std::string("the ") + which + " data block at " + std::to_string(expected) + " as the trailer says",
      "it here");
}

}  // namespace

// Reads the block that the index points at and moves before its first cell.
Status ScanState::load_block() {
  const BlockAddress address = index_.address();
  if (block_ == nullptr || block_->offset() != address.offset) {
    BLOOMERY_ASSIGN_OR_RETURN(block_, file_->source().read(address));
    index_.note_block(*block_);
  }
  return start_block();
}

// Like load_block(), for a scan that continues, which reads ahead. With a limit, as in a get, nothing is read
// ahead.
Status ScanState::load_next_block() {
  if (last_row_) {
    return load_block();
  }
  BLOOMERY_ASSIGN_OR_RETURN(block_, file_->source().read(index_.address(), &ahead_));
  return start_block();
}

Status ScanState::start_block() {
  return cursor_.start(block_, file_->encoding(), file_->layout(), file_->block_life());
}

// The header of a data block points back at the previous one. Disagreement with the index is damage.
Status ScanState::check_neighbours(const Block& earlier, const Block& later) {
  has_lost_block_ = later.header().previous_offset != static_cast<std::int64_t>(earlier.offset());
  if (has_lost_block_) {
    return Error::corruption(
        block_kind_name(later.kind()), later.offset(),
        "the data block before it at " + std::to_string(earlier.offset()) + " as the index says",
        later.header().previous_offset);
  }
  return {};
}

// Called at the end of the file. Only a scan that began at the first cell and went forward has counted all
// cells.
Status ScanState::check_count() {
  has_lost_count_ = is_counting_ && counted_ != file_->trailer().entry_count;
  if (has_lost_count_) {
    return Error::corruption("trailer", file_->trailer().offset,
                             "as many cells as the file has, " + std::to_string(counted_),
                             file_->trailer().entry_count);
  }
  return {};
}

// Moves the index cursor to the current block, which was reached without it.
Status ScanState::bring_up_index() {
  if (!is_index_behind()) {
    return {};
  }
  Result<bool> found = is_before_index_ ? index_.first() : Result<bool>(true);
  while (found && *found && blocks_ahead_of_index_ > 0) {
    --blocks_ahead_of_index_;
    found = index_.next();
  }
  if (!found) {
    return found.error();
  }
  const BlockAddress address = index_.address();
  if (!*found || address.offset != block_->offset() ||
      address.on_disk_bytes != block_->header().on_disk_bytes) {
    return Error::corruption(block_kind_name(block_->kind()), block_->offset(),
                             "the block at " + std::to_string(address.offset) + " as the index says",
                             "it here");
  }
  is_before_index_ = false;
  return {};
}

// Reads the block with this header if it is a data block and points back at the previous one. Otherwise
// returns null, and the index decides.
Result<BlockPointer> ScanState::data_block(const BlockHeader& header, std::uint64_t offset,
                                           std::int64_t previous) const {
  if (header.kind != file_->index().data_kind || header.previous_offset != previous) {
    return BlockPointer();
  }
  BLOOMERY_ASSIGN_OR_RETURN(
      BlockPointer block,
      file_->source().read({.kind = header.kind, .offset = offset, .on_disk_bytes = header.on_disk_bytes}));
  return block->header().previous_offset == previous ? block : BlockPointer();
}

// Returns the file's first data block, by the trailer's address. Returns null if the index is to be used:
// with a cache, which keeps index blocks, with an index of one level, and in doubt.
Result<BlockPointer> ScanState::first_block() const {
  FileBlockSource* const disk = file_->source().as_file();
  const auto offset = file_->trailer().first_data_block_offset;
  if (disk == nullptr || !offset || file_->index().levels == 1) {
    return BlockPointer();
  }
  if (block_ != nullptr && block_->offset() == *offset) {
    return block_;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const BlockHeader header, disk->header_at(*offset));
  return data_block(header, *offset, -1);
}

// Like first_block(), for the next block. Skips blocks of other kinds, which are few between two data blocks.
Result<BlockPointer> ScanState::block_behind(const Block& before) const {
  constexpr int kMostBetween = 4;
  FileBlockSource* const disk = file_->source().as_file();
  const auto last = file_->trailer().last_data_block_offset;
  std::uint64_t offset = before.offset() + before.header().on_disk_bytes;
  for (int i = 0; disk != nullptr && last && offset <= *last && i <= kMostBetween; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(const BlockHeader header, disk->header_at(offset));
    if (header.kind == file_->index().data_kind) {
      return data_block(header, offset, static_cast<std::int64_t>(before.offset()));
    }
    offset += header.on_disk_bytes;
  }
  return BlockPointer();
}

// Moves to the file's first cell, for a seek whose key is before all keys of the index. With a limit it
// avoids the index.
Result<bool> ScanState::seek_before_index() {
  Result<BlockPointer> first = last_row_ ? first_block() : Result<BlockPointer>(nullptr);
  if (!first || *first == nullptr) {
    return seek_to_first();
  }
  block_ = std::move(first).value();
  is_before_index_ = true;
  BLOOMERY_RETURN_IF_ERROR(start_block());
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_cell, cursor_.next());
  return has_cell ? Result<bool>(true) : without_cells(*block_);
}

Result<bool> ScanState::next_block() {
  if (is_last_within_limit()) {
    return false;
  }
  const BlockPointer before = block_;
  const bool may_spare_index = last_row_ && (is_index_behind() || index_.is_at_end_of_block());
  Result<BlockPointer> behind = may_spare_index ? block_behind(*before) : Result<BlockPointer>(nullptr);
  if (behind && *behind != nullptr) {
    block_ = std::move(behind).value();
    ++blocks_ahead_of_index_;
    BLOOMERY_RETURN_IF_ERROR(start_block());
  } else {
    BLOOMERY_RETURN_IF_ERROR(bring_up_index());
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, index_.next());
    if (!found) {
      BLOOMERY_RETURN_IF_ERROR(check_count());
      return false;
    }
    BLOOMERY_RETURN_IF_ERROR(load_next_block());
    BLOOMERY_RETURN_IF_ERROR(check_neighbours(*before, *block_));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_cell, cursor_.next());
  return has_cell ? Result<bool>(true) : without_cells(*block_);
}

Result<bool> ScanState::previous_block() {
  const BlockPointer behind = block_;
  BLOOMERY_RETURN_IF_ERROR(bring_up_index());
  BLOOMERY_ASSIGN_OR_RETURN(const bool found, index_.previous());
  if (!found) {
    return false;
  }
  BLOOMERY_RETURN_IF_ERROR(load_block());
  BLOOMERY_RETURN_IF_ERROR(check_neighbours(*block_, *behind));
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_cell, cursor_.last());
  return has_cell ? Result<bool>(true) : without_cells(*block_);
}

Result<bool> ScanState::seek_to_first() {
  forget_place();
  BLOOMERY_ASSIGN_OR_RETURN(const bool found, index_.first());
  if (!found) {
    return false;
  }
  BLOOMERY_RETURN_IF_ERROR(load_block());
  if (block_->offset() != file_->trailer().first_data_block_offset ||
      block_->header().previous_offset != -1) {
    return elsewhere(*block_, "first", *file_->trailer().first_data_block_offset);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_cell, cursor_.next());
  is_counting_ = true;
  counted_ = 1;
  return has_cell ? Result<bool>(true) : without_cells(*block_);
}

Result<bool> ScanState::seek_to_last() {
  forget_place();
  BLOOMERY_ASSIGN_OR_RETURN(const bool found, index_.last());
  if (!found) {
    return false;
  }
  BLOOMERY_RETURN_IF_ERROR(load_block());
  if (block_->offset() != file_->trailer().last_data_block_offset) {
    return elsewhere(*block_, "last", *file_->trailer().last_data_block_offset);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_cell, cursor_.last());
  return has_cell ? Result<bool>(true) : without_cells(*block_);
}

// The index leads to the only block that can hold the key. If all cells of this block are before the key, the
// result is the first cell of the next block.
Result<bool> ScanState::seek(const CellKey& key) {
  forget_place();
  BLOOMERY_ASSIGN_OR_RETURN(const bool within, index_.seek(key));
  bool found = false;
  if (within) {
    BLOOMERY_RETURN_IF_ERROR(load_block());
    BLOOMERY_ASSIGN_OR_RETURN(found, cursor_.seek(key));
    if (found) {
      return true;
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(found, within ? next_block() : seek_before_index());
  // No cell of this block is before its key in the index, and that key is after `key`.
  if (found && std::is_lt(compare_keys(file_->trailer().row_order, cell().key, key))) {
    return Error::corruption(block_kind_name(block_->kind()), block_->offset(),
                             "cells that are not before its key in the index", "one");
  }
  return found;
}

Result<bool> ScanState::seek_before(const CellKey& key) {
  forget_place();
  BLOOMERY_ASSIGN_OR_RETURN(const bool within, index_.seek(key));
  if (!within) {
    return false;
  }
  BLOOMERY_RETURN_IF_ERROR(load_block());
  BLOOMERY_ASSIGN_OR_RETURN(const bool found, cursor_.seek_before(key));
  return found ? Result<bool>(true) : previous_block();
}

Result<bool> ScanState::leave_block(Step found) {
  if (found == Step::kDamaged) {
    BLOOMERY_RETURN_IF_ERROR(bring_up_index());  // lost() needs the index's position
    return cursor_.damaged_cell();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_next, next_block());
  counted_ += has_next ? 1 : 0;
  return has_next;
}

// After a wrong count of cells, the lost cells can be anywhere in the file. If the index and the blocks
// disagree, they can be before the current block.
KeySpan ScanState::lost() const {
  if ((is_counting_ && has_lost_count_) || is_index_behind()) {
    return {};
  }
  KeySpan span = index_.span();
  if (has_lost_block_) {
    span.first.reset();
  }
  return span;
}

Result<bool> ScanState::previous() {
  is_counting_ = false;
  BLOOMERY_ASSIGN_OR_RETURN(const bool within, cursor_.previous());
  return within ? Result<bool>(true) : previous_block();
}

}  // namespace bloomery::hfile
