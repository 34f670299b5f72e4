// A position among the cells of one store file, for a merge of files. Cells in memory count as a file
// (memory_cells.h), which has no damage.
//
// Rows come in the direction of the scan, but the cells of a row always in file order:
//
//   forward:    row 1: a b c   row 2: a b      row 3: a
//   reversed:   row 3: a       row 2: a b      row 1: a b c
//
// A half file returns only the rows of its half. A cell has the mvcc of its file, if the file has one
// (store_file.h).
//
// A get of named columns can start a cursor lazily. The cursor then reads nothing and is positioned at the
// newest cell that it may have:
//
//   row, first wanted column, newest time of the file
//
// If another file has a newer cell there, and one version is enough, the get ends before it reaches this
// position, and the file is not read. Otherwise settle() seeks. A file with a filter of columns skips columns
// that it does not have. Precondition of a lazy start: the file has no marker that deletes the family in the
// row, as such markers precede all other columns. It may have some if the column without a name is requested,
// whose versions include them. Source: HBase's StoreFileScanner.requestSeek().
//
// A cursor with a watch does not fail at damage, but moves before the rows that may be lost (row_gap.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "hfile/scan_state.h"
#include "table/read/cell_source.h"
#include "table/read/row_gap.h"
#include "table/read/store_file.h"

namespace bloomery::table {

// The get of named columns for a lazy cursor. All views outlive the cursor.
struct LazyGet {
  std::string_view row = {};
  std::string_view family = {};
  const std::vector<std::string>* columns = nullptr;  // ascending
  bool asks_filter = false;                           // of columns, if the file has one
};

// A row, and whether a scan that begins there includes it.
struct RowBound {
  std::string row = {};  // empty: the first row of the scan's direction
  bool is_included = true;
};

class FileCursor {
 public:
  // The watch may be null. Then damage is an error. Of cells in memory, those up to the read point exist.
  FileCursor(StoreFilePointer file, bool is_reversed, std::size_t age, DamageWatch* watch,
             std::uint64_t read_point);

  // Promises that cells after this row are not wanted, so that they need not be found. Forward only.
  void limit_to(std::string_view row) {
    is_limited_ = true;
    if (state_ != nullptr) {
      state_->limit_to(row);
    }
  }

  // Moves to the first row within the bound. Errors of all moves: those of HFileScanner, with the file.
  Status start(const RowBound& bound);
  // Precondition: limit_to() has the row of the get.
  void start_lazily(const LazyGet& get);
  // Returns true if settle() must be called before the cell is used.
  bool is_delayed() const { return is_delayed_; }
  // Moves to the first cell of the column at which the cursor is delayed, or to the first cell after it.
  Status settle();
  // has_looked() returns true if the cursor has searched for the row since it was started, lazily or not.
  // has_met_row() returns true if it found a cell of the row; has_met_column(), of a column that it was
  // delayed at. A cursor that was not started lazily counts as one that met the column with the row.
  bool has_looked() const { return has_looked_; }
  bool has_met_row() const { return has_met_row_; }
  bool has_met_column() const { return has_met_column_; }
  // Moves to the next cell in the scan's order. Precondition of all functions below: !is_at_end().
  Status next() {
    if (!is_as_in_file_ || is_at_gap_) {
      return next_slowly();
    }
    const hfile::Step found = state_->step();
    return found == hfile::Step::kCell ? Status() : leave_block(found);
  }
  // Moves to the first cell that is not before `key`. Precondition: the current cell is before it, and the
  // direction is forward or the key is of the current row.
  Status seek(const CellKey& key);
  // Moves to the first cell that is not before `key` in the row of `key`, or to the next row of the scan if
  // there is none. Only reversed; the key's row is not after the current one.
  Status seek_back(const CellKey& key);
  // Skips the rest of the current row.
  Status next_row();

  bool is_at_end() const { return is_at_end_; }
  // Returns true if cell() is not a cell but the position before rows that may be lost. A move then stores
  // the gap in the watch and fails, unless its target is a later row.
  bool is_at_gap() const { return is_at_gap_; }
  // Returns views that are valid until the cursor moves.
  const Cell& cell() const { return *cell_; }
  // Returns the position in the file, for callers that count blocks. Precondition: !is_delayed(), and
  // it is no memory.
  const hfile::ScanState& position() const { return *state_; }
  // The rank in the order of files; greater is newer.
  std::size_t age() const { return age_; }

 private:
  Status next_slowly();
  Status leave_block(hfile::Step found);
  void delay_at(std::size_t column);
  Status settle_at(const CellKey& key);
  bool is_between_columns(const CellKey& key) const;
  Status seek_lazily(const CellKey& key);
  Result<bool> step_in_block(const CellKey& key);
  Result<bool> step_in_memory(const CellKey& key);
  Status take(Result<bool> found);
  Status start_at(const RowBound& bound);
  Status take_reversed_row(std::string_view below, bool is_included);
  bool is_outside() const;
  Status end_row();
  RowGap lost_rows(const Error& error) const;
  Status take_damage(const Error& error);
  void stand_at_gap(std::string row);
  Status leave_gap(const CellKey& key);
  Status reach_gap();

  StoreFilePointer file_;
  CellSource source_;
  hfile::ScanState* state_;  // the state of the source; null if it is memory
  bool is_reversed_;
  bool is_as_in_file_;  // plain cells, all of the file, in its order, with their own mvcc
  std::size_t age_;
  bool is_at_end_ = true;
  bool is_at_gap_ = false;
  bool is_delayed_ = false;
  bool is_limited_ = false;
  bool has_looked_ = false;
  bool has_met_row_ = false;
  bool has_met_column_ = false;
  LazyGet lazy_;               // without columns: the cursor is not lazy
  Cell made_;                  // the current cell if it differs from the file's
  const Cell* cell_ = &made_;  // made_, or the scanner's cell
  std::string row_;            // the current row, if reversed or at a gap
  DamageWatch* watch_;
  std::optional<RowGap> gap_;  // present if is_at_gap_
};

}  // namespace bloomery::table
