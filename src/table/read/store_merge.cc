#include "table/read/store_merge.h"

#include <algorithm>
#include <string>

namespace bloomery::table {

StoreMerge::StoreMerge(const std::vector<StoreFilePointer>& files, bool is_reversed, DamageWatch* watch)
    : is_reversed_(is_reversed), files_(files), watch_(watch), cursors_(files.size()) {}

FileCursor& StoreMerge::made_cursor(std::size_t file) {
  if (cursors_[file] == nullptr) {
    cursors_[file] = std::make_unique<FileCursor>(files_[file], is_reversed_, file, watch_);
  }
  return *cursors_[file];
}

bool StoreMerge::comes_after(const FileCursor& a, const FileCursor& b) const {
  const Cell& left = a.cell();
  const Cell& right = b.cell();
  if (is_reversed_) {
    if (const auto rows = left.key.row <=> right.key.row; std::is_neq(rows)) {
      return std::is_lt(rows);
    }
  }
  if (const auto keys = left.key <=> right.key; std::is_neq(keys)) {
    return std::is_gt(keys);
  }
  return left.mvcc != right.mvcc ? left.mvcc < right.mvcc : a.age() < b.age();
}

// Puts the first cursor, which has moved, in its place, or drops it at its end.
void StoreMerge::push_first() {
  const auto after = [this](const FileCursor* a, const FileCursor* b) { return comes_after(*a, *b); };
  FileCursor* const moved = heap_.back();
  if (moved->is_at_end()) {
    heap_.pop_back();
  } else {
    std::push_heap(heap_.begin(), heap_.end(), after);
  }
}

template <typename IsBehind, typename Move>
Status StoreMerge::move_while(IsBehind is_behind, Move move) {
  const auto after = [this](const FileCursor* a, const FileCursor* b) { return comes_after(*a, *b); };
  while (!heap_.empty() && is_behind(heap_.front()->cell().key)) {
    std::pop_heap(heap_.begin(), heap_.end(), after);  // before it moves: its cell orders the heap
    BLOOMERY_RETURN_IF_ERROR(move(*heap_.back()));
    push_first();
  }
  return settle_first();  // not before: those that are behind the target have not to be read
}

// Reads the files whose place in the merge is not sure, until the first one's is.
Status StoreMerge::settle_first() {
  const auto after = [this](const FileCursor* a, const FileCursor* b) { return comes_after(*a, *b); };
  while (!heap_.empty() && heap_.front()->is_delayed()) {
    std::pop_heap(heap_.begin(), heap_.end(), after);
    BLOOMERY_RETURN_IF_ERROR(heap_.back()->settle());
    push_first();
  }
  return {};
}

Status StoreMerge::start(const RowBound& bound, std::span<const FileUse> uses, const LazyGet& lazy) {
  heap_.clear();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const FileUse use = uses.empty() ? FileUse::kRead : uses[i];
    if (use == FileUse::kNone) {
      continue;
    }
    FileCursor& cursor = made_cursor(i);
    if (!uses.empty()) {
      cursor.limit_to(bound.row);
    }
    if (use == FileUse::kReadLazily) {
      cursor.start_lazily(lazy);
    } else {
      BLOOMERY_RETURN_IF_ERROR(cursor.start(bound));
    }
    if (!cursor.is_at_end()) {
      heap_.push_back(&cursor);
      push_first();
    }
  }
  return settle_first();
}

Status StoreMerge::next() {
  bool has_moved = false;
  return move_while([&](const CellKey&) { return !std::exchange(has_moved, true); },
                    [](FileCursor& cursor) { return cursor.next(); });
}

Status StoreMerge::seek(const CellKey& key) {
  return move_while([&](const CellKey& at) { return (!is_reversed_ || at.row == key.row) && at < key; },
                    [&](FileCursor& cursor) { return cursor.seek(key); });
}

Status StoreMerge::seek_in_direction(const CellKey& key) {
  if (!is_reversed_ || key.row == cell().key.row) {
    return seek(key);
  }
  return move_while([&](const CellKey& at) { return at.row > key.row; },
                    [&](FileCursor& cursor) { return cursor.seek_back(key); });
}

Status StoreMerge::next_row() {
  const std::string row(cell().key.row);
  return move_while([&](const CellKey& at) { return at.row == row; },
                    [](FileCursor& cursor) { return cursor.next_row(); });
}

}  // namespace bloomery::table
