// A position among the cells of one store file, for a merge of files.
//
// Rows come in the direction of the scan, and the cells of a row always in their own order:
//
//   forward:    row 1: a b c   row 2: a b      row 3: a
//   reversed:   row 3: a       row 2: a b      row 1: a b c
//
// A half file gives only the rows of its half. A cell has the mvcc of its file, if that has one
// (store_file.h).
//
// A cursor with a watch does not fail at damage, but stands before the rows that may be lost (row_gap.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_reader.h"
#include "table/read/row_gap.h"
#include "table/read/store_file.h"

namespace bloomery::table {

// A row, and on which side of it a scan begins.
struct RowBound {
  std::string row = {};  // empty: the first row of the scan's direction
  bool is_included = true;
};

class FileCursor {
 public:
  // The watch may be null. Then damage is an error.
  FileCursor(StoreFilePointer file, bool is_reversed, std::size_t age, DamageWatch* watch);

  // Goes to the first row within the bound. Errors, here and below: those of HFileScanner, with the file.
  Status start(const RowBound& bound);
  // Goes to the next cell in the scan's order. Precondition, here and below: !is_at_end().
  Status next();
  // Goes to the first cell that is not before `key`. Precondition: the current cell is before it, and forward
  // is the direction, or the key is of the current row.
  Status seek(const CellKey& key);
  // Goes to the first cell that is not before `key` in the row of `key`, or to the next row of the scan if
  // there is none. Only reversed; the key's row is not after the current one.
  Status seek_back(const CellKey& key);
  // Passes over the rest of the current row.
  Status next_row();

  bool is_at_end() const { return is_at_end_; }
  // Whether cell() is no cell but the place before rows that may be lost. To move then leaves the gap in the
  // watch and fails, unless the target is behind the gap.
  bool is_at_gap() const { return is_at_gap_; }
  // Returns views that hold until the cursor moves.
  const Cell& cell() const { return cell_; }
  // The place in the order of files; greater is newer.
  std::size_t age() const { return age_; }

 private:
  Status take(Result<bool> found);
  Status take_reversed_row(std::string_view below, bool is_included);
  bool is_outside() const;
  Status end_row();
  RowGap lost_rows(const Error& error) const;
  Status take_damage(const Error& error);
  void stand_at_gap(std::string row);
  Status leave_gap(const CellKey& key);
  Status reach_gap();

  StoreFilePointer file_;
  HFileScanner scanner_;
  bool is_reversed_;
  std::size_t age_;
  bool is_at_end_ = true;
  bool is_at_gap_ = false;
  Cell cell_;
  std::string row_;  // of the current cell, if reversed; of the gap
  DamageWatch* watch_;
  std::optional<RowGap> gap_;  // present if is_at_gap_
};

}  // namespace bloomery::table
