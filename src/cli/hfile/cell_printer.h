// Prints cells to standard output, one per line (cell_text.h): cells of files, and the results of gets and
// scans.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/table/row_result.h"
#include "cli/hfile/cell_text.h"
#include "cli/output.h"

namespace bloomery::cli {

class CellPrinter {
 public:
  explicit CellPrinter(CellForm form);

  // Prints a cell of a file. Errors: those of append_cell(), with the file, and of Output::write().
  Status print(const Cell& cell, const std::string& file);
  // Prints all lines of a result, or none. Errors: those of append_cell() and of Output::write().
  Status print(const RowResult& result);
  // Call it once at the end, also after an error, so that the cells that precede it are printed.
  Status flush() { return output_.flush(); }
  std::uint64_t cells() const { return cells_; }

 private:
  CellForm form_;
  Output output_;
  std::string lines_;
  std::uint64_t cells_ = 0;
};

}  // namespace bloomery::cli
