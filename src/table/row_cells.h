// The cells of one row that are wanted, of one file, in order. Steps over columns that are not, by the index.
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
  // `cells` outlives it.
  RowCells(hfile::OpenFilePointer file, std::string row, const CellChoice& cells)
      : scanner_(hfile::ReaderAccess::reader_of(std::move(file)).scan()),
        row_(std::move(row)),
        cells_(cells) {}

  // Goes to the first one, or the next one; false behind the last. Errors: those of the scanner.
  Result<bool> next();
  // Precondition: next() found one.
  const Cell& cell() const { return scanner_.cell(); }

 private:
  Result<bool> step();

  HFileScanner scanner_;
  std::string row_;
  const CellChoice& cells_;
  bool started_ = false;
};

}  // namespace bloomery::table
