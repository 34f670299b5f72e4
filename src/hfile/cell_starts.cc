#include "hfile/cell_starts.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/endian.h"
#include "base/memory.h"
#include "hfile/encoding/plain_cells.h"
#include "hfile/flat_key.h"

namespace bloomery::hfile {
namespace {

// Prefetches the cache lines of a cell, at most three, which a comparison then reads one after the other.
void prefetch_cell(std::span<const std::byte> cell) {
  const std::size_t size = std::min<std::size_t>(cell.size(), 3 * kCacheLineBytes);
  for (std::size_t at = 0; at < size; at += kCacheLineBytes) {
    __builtin_prefetch(cell.data() + at);
  }
}

// Returns the key of the cell at `start`. Precondition: a valid cell begins there.
CellKey key_at(std::span<const std::byte> payload, std::uint32_t start) {
  const std::byte* const cell = payload.data() + start;
  CellKey key;
  (void)read_flat_key({reinterpret_cast<const char*>(cell + 8), load_big32(cell)}, key);
  return key;
}

// The number of cells in a block, and the common prefix of their rows.
struct Cells {
  std::size_t count = 0;
  std::string_view shared = {};
};

// Returns nothing if a cell is damaged or the keys are out of order.
std::optional<Cells> cells_of(std::span<const std::byte> payload, const CellLayout& layout) {
  PlainCells cells(payload, layout);
  CellKey first;
  CellKey before;
  for (std::size_t count = 0;; ++count) {
    FlatCell cell;
    const Step step = cells.next(cell);
    if (step == Step::kEnd) {
      return Cells{count, common_front(first.row, before.row)};
    }
    CellKey key;
    if (step == Step::kDamaged || !read_flat_key(cell.key, key) || (count > 0 && key < before)) {
      return std::nullopt;
    }
    first = count == 0 ? key : first;
    before = key;
  }
}

}  // namespace

std::optional<CellStarts> CellStarts::of(std::span<const std::byte> payload, const CellLayout& layout,
                                         std::span<std::uint32_t> room, MemoryShare memory) {
  const auto found =
      payload.size() > std::numeric_limits<std::uint32_t>::max() ? std::nullopt : cells_of(payload, layout);
  if (!found) {
    return std::nullopt;
  }
  const std::size_t words_of_rows =
      RowHeads<std::uint32_t>::bytes_for(found->count, found->shared.size()) / sizeof(std::uint32_t);
  const std::size_t words = words_of_rows + found->count;
  CellStarts made;
  if (words > room.size()) {
    if (!memory.try_add(words * sizeof(std::uint32_t))) {
      return std::nullopt;
    }
    made.owned_ = std::make_unique<std::uint32_t[]>(words);
    made.memory_ = std::move(memory);
    room = {made.owned_.get(), words};
  }
  std::uint32_t* const starts = room.data() + words_of_rows;
  PlainCells cells(payload, layout);
  for (std::size_t i = 0; i < found->count; ++i) {
    starts[i] = static_cast<std::uint32_t>(cells.position());
    FlatCell cell;
    (void)cells.next(cell);
  }
  made.starts_ = starts;
  made.rows_ = RowHeads<std::uint32_t>(
      found->count, found->shared, [&](std::size_t i) { return key_at(payload, starts[i]).row; },
      room.data());
  return made;
}

std::size_t CellStarts::seek(std::span<const std::byte> payload, const CellKey& key) const {
  const RowRange same = rows_.find(key.row, [&](std::size_t run) { __builtin_prefetch(&starts_[run]); });
  if (same.begin < same.end) {
    prefetch_cell(payload.subspan(starts_[same.begin]));
  }
  const std::uint32_t* const found =
      std::partition_point(starts_ + same.begin, starts_ + same.end,
                           [&](std::uint32_t start) { return key_at(payload, start) < key; });
  return found == starts_ + rows_.size() ? payload.size() : *found;
}

}  // namespace bloomery::hfile
