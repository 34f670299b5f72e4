// A position among the cells of an open file: one in the index, and one in the data block it points at.
//
// The index leads from block to block in both directions; each block says where the one before it is, and
// that must be where it was. A scan from the first cell to the last counts them, and must come to what the
// trailer says.
#pragma once

#include <cstdint>
#include <memory>
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

  // As those of HFileScanner.
  Result<bool> seek_to_first();
  Result<bool> seek_to_last();
  Result<bool> seek(const CellKey& key);
  Result<bool> seek_before(const CellKey& key);
  Result<bool> next() {
    const Step found = step();
    return found == Step::kCell ? Result<bool>(true) : leave_block(found);
  }
  Result<bool> previous();

  // The two halves of next(): the next cell of the block, and where there is none, what step() came to.
  Step step() {
    const Step found = cursor_.step();
    counted_ += found == Step::kCell ? 1 : 0;
    return found;
  }
  Result<bool> leave_block(Step found);

  const Cell& cell() const { return cursor_.cell(); }

 private:
  Status load_block();
  Result<bool> next_block();
  Result<bool> previous_block();
  Status check_neighbours(const Block& earlier, const Block& later) const;
  Status check_count() const;

  std::shared_ptr<const OpenFile> file_;
  IndexCursor index_;
  DataBlockCursor cursor_;
  BlockPointer block_;
  std::uint64_t counted_ = 0;  // cells since the first one
  bool is_counting_ = false;
};

}  // namespace bloomery::hfile
