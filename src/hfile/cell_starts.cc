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

// Prefetches the cache lines of a cell, at most three of them, which a comparison then reads one after the
// other.
void prefetch_cell(std::span<const std::byte> cell) {
  const std::size_t size = std::min<std::size_t>(cell.size(), 3 * kCacheLineBytes);
  for (std::size_t at = 0; at < size; at += kCacheLineBytes) {
    __builtin_prefetch(cell.data() + at);
  }
}

// Returns the key of the cell at `start`. Precondition: a sound cell begins there.
CellKey key_at(std::span<const std::byte> payload, std::uint32_t start) {
  const std::byte* const cell = payload.data() + start;
  CellKey key;
  (void)read_flat_key({reinterpret_cast<const char*>(cell + 8), load_big32(cell)}, key);
  return key;
}

// The number of cells in a block, and the common front of their rows.
struct Cells {
  std::size_t count = 0;
  std::string_view shared = {};
};

// Returns nothing if a cell is damaged or the keys go backwards.
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

std::unique_ptr<const CellStarts> CellStarts::of(std::span<const std::byte> payload, const CellLayout& layout,
                                                 MemoryShare memory) {
  const auto found =
      payload.size() > std::numeric_limits<std::uint32_t>::max() ? std::nullopt : cells_of(payload, layout);
  if (!found || !memory.try_add(sizeof(CellStarts) + found->count * sizeof(std::uint32_t) +
                                RowHeads<std::uint32_t>::bytes_for(found->count, found->shared.size()))) {
    return nullptr;
  }
  auto made = std::make_unique<CellStarts>();
  made->starts_.reserve(found->count);
  PlainCells cells(payload, layout);
  for (std::size_t i = 0; i < found->count; ++i) {
    made->starts_.push_back(static_cast<std::uint32_t>(cells.position()));
    FlatCell cell;
    (void)cells.next(cell);
  }
  made->rows_ = RowHeads<std::uint32_t>(found->count, found->shared,
                                        [&](std::size_t i) { return key_at(payload, made->starts_[i]).row; });
  made->memory_ = std::move(memory);
  return made;
}

std::size_t CellStarts::seek(std::span<const std::byte> payload, const CellKey& key) const {
  const RowRange same = rows_.find(key.row, [&](std::size_t run) { __builtin_prefetch(&starts_[run]); });
  if (same.begin < same.end) {
    prefetch_cell(payload.subspan(starts_[same.begin]));
  }
  const auto begin = starts_.begin();
  const auto found = std::partition_point(begin + static_cast<std::ptrdiff_t>(same.begin),
                                          begin + static_cast<std::ptrdiff_t>(same.end),
                                          [&](std::uint32_t start) { return key_at(payload, start) < key; });
  return found == starts_.end() ? payload.size() : *found;
}

}  // namespace bloomery::hfile
