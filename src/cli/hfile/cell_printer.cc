#include "cli/hfile/cell_printer.h"

#include <unistd.h>

namespace bloomery::cli {

CellPrinter::CellPrinter(CellForm form) : form_(form), output_(STDOUT_FILENO) {}

Status CellPrinter::print(const Cell& cell, const std::string& file) {
  lines_.clear();
  BLOOMERY_RETURN_IF_ERROR(in_file(append_cell(lines_, cell, form_), file));
  BLOOMERY_RETURN_IF_ERROR(output_.write(lines_));
  ++cells_;
  return {};
}

Status CellPrinter::print(const RowResult& result) {
  lines_.clear();
  for (const KeptCell& kept : result.cells()) {
    BLOOMERY_RETURN_IF_ERROR(append_cell(lines_, kept.cell(), form_));
  }
  BLOOMERY_RETURN_IF_ERROR(output_.write(lines_));
  cells_ += result.size();
  return {};
}

}  // namespace bloomery::cli
