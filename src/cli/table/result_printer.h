// Prints the results of gets and scans, one line per cell, in the format of `hfile cat`
// (cli/hfile/cell_text.h).
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/table/row_result.h"
#include "cli/hfile/cell_text.h"
#include "cli/output.h"

namespace bloomery::cli {

class ResultPrinter {
 public:
  explicit ResultPrinter(CellForm form);

  // Prints all lines of a result, or none. Errors: those of append_cell() and of Output::write().
  Status print(const RowResult& result);
  Status flush() { return output_.flush(); }
  std::uint64_t cells() const { return cells_; }

 private:
  CellForm form_;
  Output output_;
  std::string lines_;
  std::uint64_t cells_ = 0;
};

}  // namespace bloomery::cli
