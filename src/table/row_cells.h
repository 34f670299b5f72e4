// The wanted cells of one row in one file, in order. A seek skips columns that are not wanted.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/table/cell_choice.h"
#include "hfile/reader_access.h"
#include "hfile/recognition.h"

namespace bloomery::table {

class RowCells {
 public:
  // `cells` must outlive the object.
  RowCells(hfile::OpenFilePointer file, std::string row, const CellChoice& cells)
      : scanner_(hfile::ReaderAccess::reader_of(std::move(file)).scan()),
        row_(std::move(row)),
        cells_(cells) {}

  // Moves to the first wanted cell, or the next one. Returns false at the end. Errors: those of HFileScanner.
  Result<bool> next();
  // Precondition: the last next() found a cell.
  const Cell& cell() const { return scanner_.cell(); }

 private:
  Result<bool> step();

  HFileScanner scanner_;
  std::string row_;
  const CellChoice& cells_;
  bool started_ = false;
};

}  // namespace bloomery::table
