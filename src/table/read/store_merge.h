// Merges the cells of a store's files in HBase's order:
//
//   row in the scan's direction, then qualifier, timestamp and type as in a file, then the greater mvcc, then
//   the newer file
//
// The cursors are in a heap; only those that are behind a target are moved. The first one is never delayed
// (file_cursor.h). Source: HBase 2.6, KeyValueHeap
// and ReversedKeyValueHeap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "table/read/file_cursor.h"

namespace bloomery::table {

enum class FileUse : std::uint8_t { kNone, kRead, kReadLazily };

class StoreMerge {
 public:
  // The watch may be null (file_cursor.h).
  StoreMerge(const std::vector<StoreFilePointer>& files, bool is_reversed, DamageWatch* watch);

  // Starts the files at the bound; all of them, as the uses of the files are empty.
  Status start(const RowBound& bound) { return start(bound, {}, {}); }
  // Starts those that are used. There is a use for each file, and `lazy` is for those that are used lazily. No cell
  // behind the row of the bound is wanted.
  Status start(const RowBound& bound, std::span<const FileUse> uses, const LazyGet& lazy);
  // The cursor of a file, or null if it was never used.
  const FileCursor* cursor(std::size_t file) const { return cursors_[file].get(); }
  bool is_at_end() const { return heap_.empty(); }
  // Returns views that hold until the merge moves. Precondition, here and below: !is_at_end().
  const Cell& cell() const { return heap_.front()->cell(); }
  // Whether cell() is the place before rows that may be lost. The next move fails there.
  bool is_at_gap() const { return heap_.front()->is_at_gap(); }

  Status next();
  // Goes to the first cell that is not before the key. In a reversed merge the key is of the current row.
  Status seek(const CellKey& key);
  // Goes to the key in the direction of the scan, also to another row.
  Status seek_in_direction(const CellKey& key);
  // Passes over the rest of the current row.
  Status next_row();

 private:
  bool comes_after(const FileCursor& a, const FileCursor& b) const;
  void push_first();
  FileCursor& made_cursor(std::size_t file);
  Status settle_first();
  // Moves the first cursor as long as `is_behind(cell)`, each by one call of `move`.
  template <typename IsBehind, typename Move>
  Status move_while(IsBehind is_behind, Move move);

  bool is_reversed_;
  std::vector<StoreFilePointer> files_;
  DamageWatch* watch_;
  std::vector<std::unique_ptr<FileCursor>> cursors_;  // of the files; null where it was not used yet
  std::vector<FileCursor*> heap_;
};

}  // namespace bloomery::table
