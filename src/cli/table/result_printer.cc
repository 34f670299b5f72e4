#include "cli/table/result_printer.h"

#include <unistd.h>

namespace bloomery::cli {

ResultPrinter::ResultPrinter(CellForm form) : form_(form), output_(STDOUT_FILENO) {}

Status ResultPrinter::print(const RowResult& result) {
  lines_.clear();
  for (const KeptCell& kept : result.cells()) {
    BLOOMERY_RETURN_IF_ERROR(append_cell(lines_, kept.cell(), form_));
  }
  BLOOMERY_RETURN_IF_ERROR(output_.write(lines_));
  cells_ += result.size();
  return {};
}

}  // namespace bloomery::cli
