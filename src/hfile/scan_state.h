// A position among the cells of an open file. It consists of an IndexCursor, a position in the index, and a
// DataBlockCursor, a position in the data block that the index points at.
//
// The index leads from block to block in both directions. Two checks accompany it:
//
//   - The header of a block has the offset of the previous data block. The index must agree.
//   - A scan from the first cell to the last counts the cells. Their number must be that of the trailer.
//
// A get without a cache avoids index blocks where the file itself has the next address. The trailer has the
// address of the first data block, whose row may be before all keys of the index. The next data block follows
// the current one, perhaps after a few blocks of other kinds, whose headers have their sizes. It is used only
// if its checksums are right and it points back at the current one. The index cursor then lags and catches up
// when it is needed. In any doubt the index decides, as everywhere else.
//
// Source: HBase's HFileReaderImpl.HFileScannerImpl.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "hfile/block.h"
#include "hfile/block_index.h"
#include "hfile/data_block_cursor.h"
#include "hfile/encoding/flat_cell.h"
#include "hfile/open_file.h"

namespace bloomery::hfile {

class ScanState {
 public:
  explicit ScanState(std::shared_ptr<const OpenFile> file)
      : file_(std::move(file)), index_(file_->index(), file_->source(), file_->block_life()) {}

  // These implement the functions of HFileScanner.
  Result<bool> seek_to_first();
  Result<bool> seek_to_last();
  Result<bool> seek(const CellKey& key);
  Result<bool> seek_before(const CellKey& key);
  Result<bool> next() {
    const Step found = step();
    return found == Step::kCell ? Result<bool>(true) : leave_block(found);
  }
  Result<bool> previous();

  // Lets next() and seek() ignore cells of rows after this one, so that they read no block for them. They may
  // then return that there is no cell. The view must be valid until the next call.
  void limit_to(std::string_view row) { last_row_ = row; }
  void lift_limit() { last_row_.reset(); }
  // Returns true if a limit is set and all cells after this block are certainly after it.
  bool is_last_within_limit() const {
    return last_row_ && !is_index_behind() && index_.is_next_behind(*last_row_);
  }

  // The two halves of next(). step() moves to the next cell of the block. If there is none, leave_block()
  // handles the result of step() and continues in the next block.
  Step step() {
    const Step found = cursor_.step();
    counted_ += found == Step::kCell ? 1 : 0;
    return found;
  }
  Result<bool> leave_block(Step found);

  const Cell& cell() const { return cursor_.cell(); }
  // Return the offset of the cell's block, and its key in the index. Precondition: there is no limit.
  std::uint64_t block_offset() const { return block_->offset(); }
  std::string_view index_key() const { return index_.key(); }

  // Returns the range of the cells that could not be read. The span may be wider, never narrower.
  // Precondition: the last call returned an error.
  KeySpan lost() const;

 private:
  // Returns true if the index does not point at the block.
  bool is_index_behind() const { return is_before_index_ || blocks_ahead_of_index_ > 0; }
  void forget_place() {
    is_counting_ = false;
    is_before_index_ = false;
    blocks_ahead_of_index_ = 0;
  }
  Status bring_up_index();
  Result<bool> seek_before_index();
  Result<BlockPointer> first_block() const;
  Result<BlockPointer> block_behind(const Block& before) const;
  Result<BlockPointer> data_block(const BlockHeader& header, std::uint64_t offset,
                                  std::int64_t previous) const;
  Status load_block();
  Status load_next_block();
  Status start_block();
  Result<bool> next_block();
  Result<bool> previous_block();
  Status check_neighbours(const Block& earlier, const Block& later);
  Status check_count();

  std::shared_ptr<const OpenFile> file_;
  IndexCursor index_;
  DataBlockCursor cursor_;
  BlockPointer block_;
  ReadAhead ahead_;
  std::optional<std::string_view> last_row_ = {};
  std::uint64_t counted_ = 0;     // cells since the file's first cell
  bool is_before_index_ = false;  // the first block was read without the index, which has no position
  std::uint32_t blocks_ahead_of_index_ = 0;  // data blocks from there, or from index_, to block_
  bool is_counting_ = false;
  bool has_lost_block_ = false;  // the index and the blocks disagree on the data between two blocks
  bool has_lost_count_ = false;  // the number of cells differs from the trailer's
};

}  // namespace bloomery::hfile
