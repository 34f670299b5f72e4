#include "hfile/data_block_cursor.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <type_traits>
#include <utility>

#include "base/endian.h"

namespace bloomery::hfile {
namespace {

// ByteArena allocates memory in pieces of at least this size. The cursor keeps a list of cells up to this
// size for reuse.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr const char* kCellList = "list of a block's cells, to go back through";

}  // namespace

Result<std::string_view> ByteArena::keep(std::string_view bytes) {
  if (bytes.size() > left_.size()) {
    const std::size_t size = std::max(bytes.size(), kPieceBytes);
    BLOOMERY_RETURN_IF_ERROR(memory_.add(kCellList, size));
    pieces_.push_back(std::make_unique_for_overwrite<char[]>(size));
    left_ = {pieces_.back().get(), size};
  }
  std::ranges::copy(bytes, left_.begin());
  const std::string_view kept(left_.data(), bytes.size());
  left_ = left_.subspan(bytes.size());
  return kept;
}

Error DataBlockCursor::damaged(const char* expected) const {
  return Error::corruption(block_kind_name(block_->kind()), block_->offset(),
                           std::string(expected) + " of " + data_encoding_name(encoding_) + " at byte " +
                               std::to_string(position()) + " of its payload",
                           "damage");
}

std::size_t DataBlockCursor::position() const {
  const std::size_t begin = block_->payload().size() - payload_.size();
  return begin + std::visit([](const auto& cells) { return cells.position(); }, decoder_);
}

// Sets decoder_ to the decoder of the encoding. An existing one of that type keeps its buffers, so that a
// scan allocates nothing for a block.
void DataBlockCursor::choose_decoder() {
  const auto hold = [this]<typename Cells>(std::type_identity<Cells>) {
    if (!std::holds_alternative<Cells>(decoder_)) {
      decoder_.emplace<Cells>();
    }
  };
  switch (encoding_) {
    case DataEncoding::kNone:
    case DataEncoding::kRowIndexV1:
      decoder_ = PlainCells();
      return;
    case DataEncoding::kPrefix:
      return hold(std::type_identity<PrefixCells>());
    case DataEncoding::kDiff:
      return hold(std::type_identity<DiffCells>());
    case DataEncoding::kFastDiff:
      return hold(std::type_identity<FastDiffCells>());
  }
}

Status DataBlockCursor::start(BlockPointer block, DataEncoding encoding, const CellLayout& layout,
                              BlockLife life) {
  life_ = life;
  block_ = std::move(block);
  encoding_ = encoding;
  layout_ = layout;
  payload_ = block_->payload();
  choose_decoder();
  forget_cells();
  const Status found = find_cells();
  if (!found) {  // a caller that continues finds no cells, and none of the previous block
    payload_ = {};
    row_index_ = {};
    (void)rewind(0);
    return found;
  }
  return rewind(0);
}

// Finds the cells in the payload: after the encoding id, if the block is encoded, and before the row index,
// if it has one. Sets payload_ and row_index_.
Status DataBlockCursor::find_cells() {
  if (encoding_ != DataEncoding::kNone) {
    const std::uint32_t number = payload_.size() < 2 ? ~0U : load_big16(payload_.data());
    if (number != static_cast<std::uint32_t>(encoding_)) {
      return Error::corruption(block_kind_name(block_->kind()), block_->offset(),
                               "the encoding " + std::to_string(static_cast<unsigned>(encoding_)), number);
    }
    payload_ = payload_.subspan(2);
  }
  if (encoding_ == DataEncoding::kRowIndexV1) {
    const auto index = RowIndex::over(payload_);
    if (!index) {
      return damaged("a row index");
    }
    row_index_ = *index;
  }
  return {};
}

// Returns to streaming and moves before the first cell. With plain cells it moves before the cell that begins
// at `cell_start`; other encodings can only begin at 0.
Status DataBlockCursor::rewind(std::size_t cell_start) {
  collected_ = false;
  forget_cells();
  const auto bytes = encoding_ == DataEncoding::kRowIndexV1 ? row_index_.cells() : payload_;
  const bool sound = std::visit([&](auto& cells) { return cells.start(bytes, layout_); }, decoder_);
  if (PlainCells* const cells = plain(); cells != nullptr) {
    cells->skip(cell_start);
  }
  return sound ? Status() : damaged("a block");
}

Step DataBlockCursor::decode_encoded(FlatCell& cell) {
  return std::visit([&](auto& cells) { return cells.next(cell); }, decoder_);
}

Step DataBlockCursor::take_encoded() {
  return std::visit([&](auto& cells) { return take(cells); }, decoder_);
}

// Drops the list of collect(). Its memory is freed, except that a list up to kPieceBytes is kept for reuse.
// Without a list the call costs nothing.
void DataBlockCursor::forget_cells() {
  if (!has_cells_) {
    return;
  }
  has_cells_ = false;
  cells_.clear();
  arena_ = {};
  if (cells_.capacity() * sizeof(Cell) > kPieceBytes) {
    cells_ = {};
  }
  cells_memory_ = {};
}

// Makes room in cells_ for one more cell. A growing list is copied to twice its capacity, and both copies are
// charged until the old one is freed.
Status DataBlockCursor::make_room_for_cell() {
  if (cells_.size() < cells_.capacity()) {
    return {};
  }
  const std::size_t room = std::max<std::size_t>(2 * cells_.capacity(), 64);
  MemoryShare larger(block_->memory());
  BLOOMERY_RETURN_IF_ERROR(larger.add(kCellList, room * sizeof(Cell)));
  cells_.reserve(room);
  cells_memory_ = std::move(larger);
  return {};
}

// Decodes the entire block into cells_ and moves to its end. Keys of an encoded block, and tags of a
// dictionary, are in the decoder's buffers and are copied into arena_; everything else is a view of the
// block.
Status DataBlockCursor::collect() {
  BLOOMERY_RETURN_IF_ERROR(rewind(0));
  has_cells_ = true;
  arena_.start(block_->memory());
  FlatCell flat;
  while (true) {
    const Step step = decode(flat);
    if (step == Step::kEnd) {
      break;
    }
    if (step == Step::kCell && plain() == nullptr) {
      BLOOMERY_ASSIGN_OR_RETURN(flat.key, arena_.keep(flat.key));
      if (layout_.tags_by_dictionary) {
        BLOOMERY_ASSIGN_OR_RETURN(flat.tags, arena_.keep(flat.tags));
      }
    }
    const auto key = step == Step::kCell ? parse_flat_key(flat.key) : std::nullopt;
    if (!key) {
      return damaged("a cell");
    }
    BLOOMERY_RETURN_IF_ERROR(make_room_for_cell());
    cells_.push_back({.key = *key, .value = flat.value, .tags = flat.tags, .mvcc = flat.mvcc});
  }
  collected_ = true;
  at_ = cells_.size();
  return {};
}

// Moves to cells_[i], or to the end if there is no such cell.
bool DataBlockCursor::go_to(std::size_t i) {
  assert(collected_);
  at_ = std::min(i, cells_.size());
  if (at_ == cells_.size()) {
    return false;
  }
  cell_ = cells_[at_];
  return true;
}

Result<bool> DataBlockCursor::next() {
  const Step found = step();
  return found == Step::kDamaged ? Result<bool>(damaged_cell()) : found == Step::kCell;
}

Result<bool> DataBlockCursor::previous() {
  if (!collected_) {
    // collect() loses the number of the current cell. It is found by decoding up to the current position. A
    // search by key would not do: several cells can have the same key.
    const std::size_t here = position();
    BLOOMERY_RETURN_IF_ERROR(rewind(0));
    std::size_t i = 0;
    while (position() < here) {
      FlatCell flat;
      if (decode(flat) != Step::kCell) {
        break;  // the end, or damage, which collect() reports
      }
      ++i;
    }
    BLOOMERY_RETURN_IF_ERROR(collect());
    at_ = i == 0 ? 0 : i - 1;
  }
  return at_ == 0 ? Result<bool>(false) : go_to(at_ - 1);
}

Result<bool> DataBlockCursor::last() {
  BLOOMERY_RETURN_IF_ERROR(collect());
  return cells_.empty() ? Result<bool>(false) : go_to(cells_.size() - 1);
}

// Returns the offsets of the block's cells. Returns null for an encoded block, for a short-lived one, and if
// they are not built (cell_starts.h).
const CellStarts* DataBlockCursor::cell_starts() const {
  if (encoding_ != DataEncoding::kNone || life_ == BlockLife::kShort) {
    return nullptr;
  }
  return block_->cell_starts().at_seek(payload_, layout_, block_->room_of<std::uint32_t>(), block_->memory());
}

// Decodes forward to the first cell that is not before `key`. The start depends on the block:
//
//   plain, kept in a cache       the cell itself, found by binary search (cell_starts.h)
//   plain                        the first cell; earlier rows are skipped by comparing their bytes only
//   ROW_INDEX_V1                 the first cell of the row, found by binary search (row_index.h)
//   PREFIX, DIFF, FAST_DIFF      the first cell
//   rows in another order        the first cell: searching and skipping rely on the order of bytes
Result<bool> DataBlockCursor::seek(const CellKey& key) {
  if (layout_.row_order != RowOrder::kBytes) {
    BLOOMERY_RETURN_IF_ERROR(rewind(0));
    return walk_to(key);
  }
  std::size_t begin = 0;
  if (encoding_ == DataEncoding::kRowIndexV1) {
    const auto start = row_index_.start_of(key.row);
    if (!start) {
      return damaged("a row index");
    }
    begin = *start;
  }
  const CellStarts* const starts = cell_starts();
  if (starts != nullptr) {
    begin = starts->seek(payload_, key);
  }
  BLOOMERY_RETURN_IF_ERROR(rewind(begin));
  if (PlainCells* const cells = plain(); cells != nullptr && starts == nullptr) {
    cells->skip_rows_before(key.row);
  }
  return walk_to(key);
}

// Moves forward to the first cell that is not before `key`.
Result<bool> DataBlockCursor::walk_to(const CellKey& key) {
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, next());
    if (!found || std::is_gteq(compare_keys(layout_.row_order, cell_.key, key))) {
      return found;
    }
  }
}

// Searches the list of cells, since the cell before a key cannot be decoded without its predecessors.
Result<bool> DataBlockCursor::seek_before(const CellKey& key) {
  BLOOMERY_RETURN_IF_ERROR(collect());
  const auto behind = std::ranges::partition_point(
      cells_, [&](const Cell& cell) { return std::is_lt(compare_keys(layout_.row_order, cell.key, key)); });
  return behind == cells_.begin() ? Result<bool>(false)
                                  : go_to(static_cast<std::size_t>(behind - cells_.begin()) - 1);
}

}  // namespace bloomery::hfile
