#include "table/read/store_merge.h"

#include <compare>
#include <string>

namespace bloomery::table {

StoreMerge::StoreMerge(const std::vector<StoreFilePointer>& files, bool is_reversed, DamageWatch* watch)
    : is_reversed_(is_reversed),
      files_(files),
      watch_(watch),
      cursors_(files.size()),
      tournament_(is_reversed) {}

FileCursor& StoreMerge::made_cursor(std::size_t file) {
  if (cursors_[file] == nullptr) {
    cursors_[file] = std::make_unique<FileCursor>(files_[file], is_reversed_, file, watch_, read_point_);
  }
  return *cursors_[file];
}

// The next start makes these cursors again. The merge has no position until then.
void StoreMerge::drop_memory_cursors() {
  first_ = nullptr;
  players_.cursors.clear();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i]->memory != nullptr) {
      cursors_[i].reset();
    }
  }
}

bool StoreMerge::Players::comes_first(std::size_t a, std::size_t b) const {
  const Cell& left = cursors[a]->cell();
  const Cell& right = cursors[b]->cell();
  if (const auto keys = compare_in_row(left.key, right.key); std::is_neq(keys)) {
    return std::is_lt(keys);
  }
  return left.mvcc != right.mvcc ? left.mvcc > right.mvcc : cursors[a]->age() > cursors[b]->age();
}

template <typename IsBehind, typename Move>
Status StoreMerge::move_while(IsBehind is_behind, Move move) {
  while (first_ != nullptr && is_behind(first_->cell().key)) {
    BLOOMERY_RETURN_IF_ERROR(move(*first_));
    place_first();
  }
  return settle_first();  // only now: delayed cursors before the target move without a read
}

Status StoreMerge::settle_delayed() {
  while (first_ != nullptr && first_->is_delayed()) {
    BLOOMERY_RETURN_IF_ERROR(first_->settle());
    place_first();
  }
  return {};
}

Status StoreMerge::start(const RowBound& bound, std::span<const FileUse> uses, const LazyGet& lazy) {
  first_ = nullptr;
  players_.cursors.clear();
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
      players_.cursors.push_back(&cursor);
    }
  }
  tournament_.start(players_.cursors.size(), players_);
  choose_first();
  return settle_first();
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
