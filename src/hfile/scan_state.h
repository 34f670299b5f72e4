// A position among the cells of an open file. It consists of an IndexCursor, a position in the index, and a
// DataBlockCursor, a position in the data block that the index points at.
//
// The index leads from block to block in both directions. Two checks come with it:
//
//   - The header of a block says where the data block before it is. That must be the block that the index has
//     before.
//   - A scan from the first cell to the last counts the cells. Their number must be that of the trailer.
//
// A get without a cache saves blocks of the index where the file itself leads on. The first data block is where the trailer
// says, and its row may be before all keys of the index. The next data block lies behind the current one, and maybe behind a
// few blocks of other kinds, whose headers have their sizes. It is taken only if its checksums are right and it points
// back at the current one. The index then stays behind, and follows when it is needed. In any doubt the index leads, as it
// does everywhere else.
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

  // These do what those of HFileScanner do.
  Result<bool> seek_to_first();
  Result<bool> seek_to_last();
  Result<bool> seek(const CellKey& key);
  Result<bool> seek_before(const CellKey& key);
  Result<bool> next() {
    const Step found = step();
    return found == Step::kCell ? Result<bool>(true) : leave_block(found);
  }
  Result<bool> previous();

  // From now on, next() and seek() need not find cells of rows behind this one, and then read no block for them. They may
  // then answer that there is no cell. The view must hold until the next call.
  void limit_to(std::string_view row) { last_row_ = row; }
  void lift_limit() { last_row_.reset(); }
  // Whether a limit is set and the cells behind this block are surely behind it.
  bool is_last_within_limit() const {
    return last_row_ && !is_index_behind() && index_.is_next_behind(*last_row_);
  }

  // The two halves of next(). step() goes to the next cell of the block. If there is none, leave_block()
  // takes the outcome of step() and goes on.
  Step step() {
    const Step found = cursor_.step();
    counted_ += found == Step::kCell ? 1 : 0;
    return found;
  }
  Result<bool> leave_block(Step found);

  const Cell& cell() const { return cursor_.cell(); }

  // Returns where the cells are that could not be read. The span may be wider, never narrower. Precondition:
  // the last call returned an error.
  KeySpan lost() const;

 private:
  // Whether the index does not point at the block.
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
  std::uint64_t counted_ = 0;     // cells from the file's first cell on
  bool is_before_index_ = false;  // the first block was reached without the index, which is nowhere
  std::uint32_t blocks_ahead_of_index_ = 0;  // steps from there on, or from where the index is
  bool is_counting_ = false;
  bool has_lost_block_ = false;  // the index and the blocks disagree on what lies between two blocks
  bool has_lost_count_ = false;  // the file has another number of cells than it says
};

}  // namespace bloomery::hfile
