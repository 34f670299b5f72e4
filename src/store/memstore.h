// The cells of one family of one region that are in no file yet.
//
//   arena         the cells, one record each (cell_record.h)
//   CellTree      their order
//   RowFilter     their rows, for gets of absent rows
//
// Cells with equal keys and equal mvcc come in the reverse order of their adds: the one that was added last
// counts. A cell is never changed or removed; all memory is released with the memstore.
//
// Threads: add() from one thread at a time; everything else from any thread, without locks and without
// waiting. A cell that was added before its mvcc was published as a read point is visible to every cursor of
// this read point. A cursor must not outlive the memstore.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "store/arena.h"
#include "store/cell_tree.h"
#include "store/row_filter.h"
#include "table/read/memory_cells.h"

namespace bloomery::store {

class Memstore : public table::MemoryCells {
 public:
  // The bound sizes the filter of rows. The caller keeps it: add() does not refuse a cell above it.
  explicit Memstore(std::uint64_t most_bytes) : rows_(most_bytes) {}

  // Copies the cell. Preconditions: the row and the family are not longer than HBase allows; the other parts
  // are shorter than 4 GiB. Errors: kCapacity; then the memstore has the cells that it had.
  Status add(const Cell& cell);

  // Returns the bytes of memory that the memstore occupies.
  std::uint64_t bytes() const { return records_.bytes() + order_.bytes() + rows_.bytes(); }
  // Returns the number of cells.
  std::uint64_t cells() const { return cells_.load(std::memory_order_relaxed); }

  std::unique_ptr<table::MemoryCursor> cursor(std::uint64_t read_point) const override;
  bool may_have_row(std::string_view row) const override { return rows_.may_contain(row); }
  bool may_have_family_markers() const override { return has_markers_.load(std::memory_order_relaxed); }
  std::optional<hfile::TimeSpan> times() const override;

 private:
  void note(const Cell& cell);

  Arena records_;
  CellTree order_;
  RowFilter rows_;
  const CellRecord* last_added_ = nullptr;
  std::atomic<std::uint64_t> cells_ = 0;
  std::atomic<bool> has_markers_ = false;
  std::atomic<std::int64_t> oldest_ = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> newest_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace bloomery::store
