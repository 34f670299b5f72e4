// Lines of cells made of anything: what is no cell is an error, and what is one is the same cell when it is
// printed, as a line and as an object, and read again.
#include <cstdint>
#include <cstdlib>
#include <memory_resource>
#include <string>
#include <string_view>

#include "cli/hfile/cell_parser.h"
#include "cli/hfile/cell_text.h"

namespace {

using namespace bloomery;
using namespace bloomery::cli;

bool same(const Cell& a, const Cell& b) {
  return a.key == b.key && a.value == b.value && a.tags == b.tags && a.mvcc == b.mvcc;
}

void read_again(const Cell& cell, CellForm form) {
  std::string line;
  if (!append_cell(line, cell, form)) {
    std::abort();  // its tags were read, so they are whole
  }
  line.pop_back();  // its newline
  std::pmr::monotonic_buffer_resource arena;
  const Result<Cell> again = CellParser(form, 1).parse(line, arena);
  if (!again || !same(*again, cell)) {
    std::abort();
  }
}

void parse(CellForm form, std::string_view line) {
  std::pmr::monotonic_buffer_resource arena;
  const Result<Cell> cell = CellParser(form, 0).parse(line, arena);
  if (!cell) {
    return;
  }
  read_again(*cell, CellForm::kTabs);
  read_again(*cell, CellForm::kJson);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  parse(CellForm::kTabs, line);
  parse(CellForm::kJson, line);
  return 0;
}
