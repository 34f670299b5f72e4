// Cells of a store that are in memory and in no file yet, as a source of reads: HBase's memstore.
//
// A reader sees the cells whose mvcc is at most its read point, and no others. So it never sees a part of an
// atomic write. Cells may be added while cursors read; a cell is never changed or removed.
//
// The order is that of a merge (store_merge.h): by key, and of equal keys the greatest mvcc first.
//
// Threads: cells() and may_have_row() from any thread; a cursor is for one thread. A cursor must not outlive
// its cells.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "bloomery/hfile/cell.h"
#include "hfile/time_span.h"

namespace bloomery::table {

// Every move returns false if there is no such cell.
class MemoryCursor {
 public:
  virtual ~MemoryCursor() = default;

  virtual bool seek_to_first() = 0;
  virtual bool seek_to_last() = 0;
  // Moves to the first cell that is not before the key.
  virtual bool seek(const CellKey& key) = 0;
  // Moves to the last cell before the key.
  virtual bool seek_before(const CellKey& key) = 0;
  // Precondition of next() and cell(): the last move returned true.
  virtual bool next() = 0;
  // Returns views that are valid as long as the cells are.
  virtual const Cell& cell() const = 0;
};

class MemoryCells {
 public:
  virtual ~MemoryCells() = default;

  virtual std::unique_ptr<MemoryCursor> cursor(std::uint64_t read_point) const = 0;
  // Returns false only if no cell of the row was added before the call.
  virtual bool may_have_row(std::string_view row) const = 0;
  // Returns false only if no marker that deletes a family, or a version of one, was added before the call.
  virtual bool may_have_family_markers() const = 0;
  // Returns the least and the greatest timestamp of the cells that were added before the call; nothing if
  // there are none. As in a file, a marker that deletes all older versions (kDeleteColumn, kDeleteFamily)
  // extends them down to 0. Otherwise a read of older times would skip the marker.
  virtual std::optional<hfile::TimeSpan> times() const = 0;
};

}  // namespace bloomery::table
