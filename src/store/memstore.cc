#include "store/memstore.h"

#include <algorithm>
#include <cassert>

#include "base/short_copy.h"

namespace bloomery::store {
namespace {

class MemstoreCursor : public table::MemoryCursor {
 public:
  MemstoreCursor(const CellTree& order, std::uint64_t read_point)
      : order_(&order),
        newest_(static_cast<std::int64_t>(
            std::min<std::uint64_t>(read_point, std::numeric_limits<std::int64_t>::max()))) {}

  bool seek_to_first() override { return show_next(order_->first()); }
  bool seek_to_last() override { return show_previous(order_->last()); }
  bool seek(const CellKey& key) override { return show_next(order_->lower_bound({.key = key})); }
  bool seek_before(const CellKey& key) override { return show_previous(order_->last_before({.key = key})); }
  bool next() override {
    step();
    return show_next(place_);
  }
  const Cell& cell() const override { return cell_; }

 private:
  void step() {
    if (!place_.move_next()) {
      place_ = order_->lower_bound(CellPosition::after(place_.record()));
    }
  }
  // Shows the first visible cell from the place on.
  bool show_next(const CellTree::Place& place) {
    for (place_ = place; place_.has_record(); step()) {
      if (shows()) {
        return true;
      }
    }
    return false;
  }
  // Shows the last visible cell up to the place.
  bool show_previous(const CellTree::Place& place) {
    for (place_ = place; place_.has_record();) {
      if (shows()) {
        return true;
      }
      if (!place_.move_previous()) {
        place_ = order_->last_before(CellPosition::of(place_.record()));
      }
    }
    return false;
  }
  bool shows() {
    const CellRecord& record = place_.record();
    if (record.mvcc > newest_) {
      return false;
    }
    cell_ = record.cell();
    return true;
  }

  const CellTree* order_;
  std::int64_t newest_;  // the greatest visible mvcc
  CellTree::Place place_;
  Cell cell_;
};

bool deletes_in_family(CellType type) {
  return type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion;
}

bool deletes_older(CellType type) {
  return type == CellType::kDeleteFamily || type == CellType::kDeleteColumn;
}

}  // namespace

// Everything that can fail precedes everything that can be seen.
Status Memstore::add(const Cell& cell) {
  assert(cell.key.row.size() <= kLongestRow && cell.key.family.size() <= kLongestFamily);
  const bool is_new_row = last_added_ == nullptr || !equal_short(last_added_->row(), cell.key.row);
  const std::uint64_t number = cells() + 1;
  Hash128 hash;
  if (is_new_row) {
    BLOOMERY_RETURN_IF_ERROR(rows_.reserve());
    hash = RowFilter::hash_of(cell.key.row);
    rows_.prefetch(hash);  // the search of the tree covers the wait
  }
  const CellTree::Path path = order_.find({cell.key, cell.mvcc, number});
  BLOOMERY_RETURN_IF_ERROR(order_.reserve(path));
  BLOOMERY_ASSIGN_OR_RETURN(std::byte* const memory, records_.allocate(record_bytes(cell)));
  if (is_new_row) {
    rows_.insert(hash);
  }
  note(cell);
  last_added_ = &write_record(memory, cell, number);
  order_.insert(path, *last_added_);
  cells_.store(number, std::memory_order_relaxed);
  return {};
}

// A marker that deletes all times up to its own has those times, as in a file.
void Memstore::note(const Cell& cell) {
  const std::int64_t time = cell.key.timestamp;
  const std::int64_t oldest = deletes_older(cell.key.type) ? std::min<std::int64_t>(time, 0) : time;
  if (oldest < oldest_.load(std::memory_order_relaxed)) {
    oldest_.store(oldest, std::memory_order_relaxed);
  }
  if (time > newest_.load(std::memory_order_relaxed)) {
    newest_.store(time, std::memory_order_relaxed);
  }
  if (deletes_in_family(cell.key.type)) {
    has_markers_.store(true, std::memory_order_relaxed);
  }
}

std::unique_ptr<table::MemoryCursor> Memstore::cursor(std::uint64_t read_point) const {
  return std::make_unique<MemstoreCursor>(order_, read_point);
}

std::optional<hfile::TimeSpan> Memstore::times() const {
  const hfile::TimeSpan span = {.oldest = oldest_.load(std::memory_order_relaxed),
                                .newest = newest_.load(std::memory_order_relaxed)};
  return span.has_times() ? std::optional(span) : std::nullopt;
}

}  // namespace bloomery::store
