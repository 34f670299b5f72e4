// Cells in memory for tests of readers: sorted vectors, of which the last one has all cells.
//
// An added cell makes a new vector, so that cursors and cells of the ones before stay valid. Each cursor
// reads the vector of its time. For one thread.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "table/read/memory_cells.h"
#include "tests/hfile/written.h"

namespace bloomery {

// Sorts as a file or a memstore does: by key, and of equal keys the greatest mvcc first.
inline void sort_cells(std::vector<OwnedCell>& cells) {
  std::ranges::sort(cells, [](const OwnedCell& a, const OwnedCell& b) {
    const auto keys = a.key() <=> b.key();
    return std::is_neq(keys) ? std::is_lt(keys) : a.mvcc > b.mvcc;
  });
}

class VectorCursor : public table::MemoryCursor {
 public:
  VectorCursor(const std::vector<OwnedCell>& cells, std::uint64_t read_point)
      : cells_(cells), read_point_(read_point) {}

  bool seek_to_first() override { return show_from(0); }
  bool seek_to_last() override { return show_before(cells_.size()); }
  bool seek(const CellKey& key) override { return show_from(place_of(key)); }
  bool seek_before(const CellKey& key) override { return show_before(place_of(key)); }
  bool next() override { return show_from(at_ + 1); }
  const Cell& cell() const override { return cell_; }

 private:
  std::size_t place_of(const CellKey& key) const {
    const auto at = std::ranges::lower_bound(
        cells_, key, [](const CellKey& a, const CellKey& b) { return a < b; }, &OwnedCell::key);
    return static_cast<std::size_t>(at - cells_.begin());
  }
  bool is_seen(std::size_t i) const { return static_cast<std::uint64_t>(cells_[i].mvcc) <= read_point_; }
  bool show_from(std::size_t i) {
    while (i < cells_.size() && !is_seen(i)) {
      ++i;
    }
    return i < cells_.size() && show(i);
  }
  bool show_before(std::size_t end) {
    while (end > 0 && !is_seen(end - 1)) {
      --end;
    }
    return end > 0 && show(end - 1);
  }
  bool show(std::size_t i) {
    at_ = i;
    cell_ = cells_[i].cell();
    return true;
  }

  const std::vector<OwnedCell>& cells_;
  std::uint64_t read_point_;
  std::size_t at_ = 0;
  Cell cell_;
};

class VectorCells : public table::MemoryCells {
 public:
  explicit VectorCells(std::vector<OwnedCell> cells = {}) { keep(std::move(cells)); }

  void add(const OwnedCell& cell) {
    std::vector<OwnedCell> cells = all();
    cells.push_back(cell);
    keep(std::move(cells));
  }
  const std::vector<OwnedCell>& all() const { return versions_.back(); }
  std::size_t cursors_made() const { return cursors_made_; }

  std::unique_ptr<table::MemoryCursor> cursor(std::uint64_t read_point) const override {
    ++cursors_made_;
    return std::make_unique<VectorCursor>(all(), read_point);
  }
  bool may_have_row(std::string_view row) const override {
    return std::ranges::any_of(all(), [&](const OwnedCell& cell) { return cell.row == row; });
  }
  bool may_have_family_markers() const override {
    return std::ranges::any_of(all(), [](const OwnedCell& cell) {
      return cell.type == CellType::kDeleteFamily || cell.type == CellType::kDeleteFamilyVersion;
    });
  }
  std::optional<hfile::TimeSpan> times() const override {
    std::optional<hfile::TimeSpan> span;
    for (const OwnedCell& cell : all()) {
      const bool reaches_back = cell.type == CellType::kDeleteFamily || cell.type == CellType::kDeleteColumn;
      const std::int64_t oldest = reaches_back ? std::min<std::int64_t>(0, cell.timestamp) : cell.timestamp;
      span = span ? hfile::TimeSpan{std::min(span->oldest, oldest), std::max(span->newest, cell.timestamp)}
                  : hfile::TimeSpan{oldest, cell.timestamp};
    }
    return span;
  }

 private:
  void keep(std::vector<OwnedCell> cells) {
    sort_cells(cells);
    versions_.push_back(std::move(cells));
  }

  std::deque<std::vector<OwnedCell>> versions_;  // a deque, so that elements keep their addresses
  mutable std::size_t cursors_made_ = 0;
};

}  // namespace bloomery
