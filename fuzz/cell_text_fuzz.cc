// Lines of cells made of anything: what is no cell is an error, and what is one is the same cell when it is
// printed, as a line and as an object, and read again. `table import` makes the same of it. A first line is
// also a mapping of CSV, and the second one its record.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "cli/hfile/cell_parser.h"
#include "cli/hfile/cell_text.h"
#include "cli/table/import_parser.h"

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

// An import refuses tags. A cell without a timestamp gets the one that is given.
void import_line(CellForm form, std::string_view line, const Result<Cell>& cell) {
  std::pmr::monotonic_buffer_resource arena;
  std::vector<Mutation> mutations;
  const Status read = ImportParser(form, 0).parse(line, arena, mutations);
  if (read.has_value() != (cell && cell->tags.empty())) {
    std::abort();
  }
  if (read) {
    const Mutation& mutation = mutations.at(0);
    const CellKey key{mutation.row, mutation.family, mutation.qualifier, mutation.timestamp.value_or(0),
                      mutation.type};
    const bool has_latest = cell->key.timestamp == std::numeric_limits<std::int64_t>::max();
    if (mutations.size() != 1 || mutation.value != cell->value || (!has_latest && key != cell->key)) {
      std::abort();
    }
  }
}

void import_csv(std::string_view text) {
  const std::size_t end = text.find('\n');
  const auto mapping = parse_csv_mapping(text.substr(0, end));
  if (!mapping || end == std::string_view::npos) {
    return;
  }
  std::pmr::monotonic_buffer_resource arena;
  std::vector<Mutation> mutations;
  if (ImportParser(*mapping, 5).parse(text.substr(end + 1), arena, mutations)) {
    const auto columns = std::ranges::count(*mapping, CsvField::Is::kColumn, &CsvField::is);
    std::size_t bytes = 0;
    for (const Mutation& mutation : mutations) {
      bytes += mutation.value.size();
    }
    if (mutations.size() != static_cast<std::size_t>(columns) || bytes > text.size()) {
      std::abort();
    }
  }
}

void parse(CellForm form, std::string_view line) {
  std::pmr::monotonic_buffer_resource arena;
  const Result<Cell> cell = CellParser(form, 0).parse(line, arena);
  import_line(form, line, cell);
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
  import_csv(line);
  return 0;
}
