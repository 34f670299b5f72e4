// Merges the cells of a store's files in HBase's order:
//
//   row in the scan's direction, then qualifier, timestamp and type as in a file, then the greater mvcc, then
//   the newer file
//
// A tournament by rows orders the cursors (row_tournament.h); only cursors before a target are moved. The
// first one is never delayed (file_cursor.h). Source: HBase 2.6, KeyValueHeap and ReversedKeyValueHeap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "table/read/file_cursor.h"
#include "table/read/row_tournament.h"

namespace bloomery::table {

enum class FileUse : std::uint8_t { kNone, kRead, kReadLazily };

class StoreMerge {
 public:
  // The watch may be null (file_cursor.h).
  StoreMerge(const std::vector<StoreFilePointer>& files, bool is_reversed, DamageWatch* watch);

  // Makes later starts see the cells in memory up to this point; at first all.
  void set_read_point(std::uint64_t read_point) {
    if (read_point != read_point_) {
      read_point_ = read_point;
      drop_memory_cursors();
    }
  }
  // Starts all files at the bound. Empty uses mean all of them.
  Status start(const RowBound& bound) { return start(bound, {}, {}); }
  // Starts the files that are used. There is a use for each file, and `lazy` is for those that are read
  // lazily. No cell after the row of the bound is wanted.
  Status start(const RowBound& bound, std::span<const FileUse> uses, const LazyGet& lazy);
  // Returns the cursor of a file, or null if it was never used.
  const FileCursor* cursor(std::size_t file) const { return cursors_[file].get(); }
  bool is_at_end() const { return first_ == nullptr; }
  // Returns views that are valid until the merge moves. Precondition of all functions below: !is_at_end().
  const Cell& cell() const { return first_->cell(); }
  // Returns the number of the cell's file.
  std::size_t first_file() const { return first_->age(); }
  // Returns true if cell() is the position before rows that may be lost. The next move fails there.
  bool is_at_gap() const { return first_->is_at_gap(); }

  // Changes whenever the merge moves to another row.
  std::uint64_t row_number() const { return tournament_.row_number(); }

  Status next() {
    BLOOMERY_RETURN_IF_ERROR(first_->next());
    place_first();
    return settle_first();
  }
  // Moves to the first cell that is not before the key. In a reversed merge the key is of the current row.
  Status seek(const CellKey& key);
  // Moves to the key in the direction of the scan, also to another row.
  Status seek_in_direction(const CellKey& key);
  // Skips the rest of the current row.
  Status next_row();

 private:
  // The sources of the tournament.
  struct Players {
    std::optional<std::string_view> row_of(std::size_t i) const {
      return cursors[i]->is_at_end() ? std::nullopt : std::optional(cursors[i]->cell().key.row);
    }
    bool comes_first(std::size_t a, std::size_t b) const;

    std::vector<FileCursor*> cursors = {};
  };

  FileCursor& made_cursor(std::size_t file);
  void drop_memory_cursors();
  // Reorders the first cursor after it has moved, or removes it at its end.
  void place_first() {
    tournament_.move_first(players_);
    choose_first();
  }
  void choose_first() { first_ = tournament_.is_at_end() ? nullptr : players_.cursors[tournament_.first()]; }
  // Reads delayed files until the first one is not delayed.
  Status settle_first() { return first_ != nullptr && first_->is_delayed() ? settle_delayed() : Status(); }
  Status settle_delayed();
  // Moves the first cursor with `move` while `is_behind(cell)` is true.
  template <typename IsBehind, typename Move>
  Status move_while(IsBehind is_behind, Move move);

  bool is_reversed_;
  std::vector<StoreFilePointer> files_;
  DamageWatch* watch_;
  std::uint64_t read_point_ = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::unique_ptr<FileCursor>> cursors_;  // for each file; null if not used yet
  Players players_;                                   // the started cursors that found a cell
  RowTournament tournament_;
  FileCursor* first_ = nullptr;
};

}  // namespace bloomery::table
