// Merges the cells of a store's files in HBase's order:
//
//   row in the scan's direction, then qualifier, timestamp and type as in a file, then the greater mvcc, then
//   the newer file
//
// The cursors are in a heap; only those that are behind a target are moved. Source: HBase 2.6, KeyValueHeap
// and ReversedKeyValueHeap.
#pragma once

#include <vector>

#include "bloomery/base/result.h"
#include "table/read/file_cursor.h"

namespace bloomery::table {

class StoreMerge {
 public:
  // The watch may be null (file_cursor.h).
  StoreMerge(const std::vector<StoreFilePointer>& files, bool is_reversed, DamageWatch* watch);

  Status start(const RowBound& bound);
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
  // Moves the first cursor as long as `is_behind(cell)`, each by one call of `move`.
  template <typename IsBehind, typename Move>
  Status move_while(IsBehind is_behind, Move move);

  bool is_reversed_;
  std::vector<FileCursor> cursors_;
  std::vector<FileCursor*> heap_;
};

}  // namespace bloomery::table
