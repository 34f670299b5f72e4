// bloomery hfile cat: prints the cells of an HFile, one a line.
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/byte_text.h"
#include "bloomery/hfile/hfile_reader.h"
#include "cli/exit_status.h"
#include "cli/file_memory_option.h"
#include "cli/hfile/cell_options.h"
#include "cli/hfile/cell_printer.h"
#include "cli/numbers.h"
#include "cli/verbs.h"
#include "hfile/reader_access.h"
#include "hfile/recognition.h"

namespace bloomery::cli {
namespace {

constexpr const char* kHFileCatDescription =
    R"(Print the cells of an HFile in its order, markers that delete others among them, one a line.

  bloomery hfile cat store.hfile | head
  bloomery hfile cat store.hfile --start-row r2 --stop-row r4 --column cf:q1
  bloomery hfile cat store.hfile | cut -f5 | sort | uniq -c          # how many puts, how many deletes
  bloomery hfile cat --json store.hfile | jq -r 'select(.type == "DeleteFamily") | .row'

A line: row, family, qualifier, timestamp, type, value, tags (type:bytes, with commas between), mvcc; separated by
tabs. Bytes outside 0x21 to 0x7e and the backslash are \xHH, there and in rows and columns that are given here.)";

struct HFileCatOptions {
  std::string file;
  std::string start_row;
  std::string stop_row;
  std::string max_count;
  bool json = false;
  CellOptions cells;
  FileMemoryOption memory;
};

// Prints the wanted cells from the scanner's first one on.
Status print_range(const HFileCatOptions& options, const CellChoice& cells, std::uint64_t most,
                   RowOrder order, HFileScanner& scanner, CellPrinter& printer) {
  const std::string start = unescape_bytes(options.start_row);
  const std::string stop = unescape_bytes(options.stop_row);
  Result<bool> found = start.empty() ? scanner.seek_to_first() : scanner.seek(first_on_row(start));
  for (; printer.cells() < most && found && *found; found = scanner.next()) {
    const CellKey& key = scanner.cell().key;
    if (!stop.empty() && std::is_gteq(compare_rows(order, key.row, stop))) {
      return {};
    }
    if (cells.wants(key)) {
      BLOOMERY_RETURN_IF_ERROR(printer.print(scanner.cell(), options.file));
    }
  }
  return found ? Status() : Status(found.error());
}

Result<int> cat(const HFileCatOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const CellChoice cells, options.cells.parse());
  std::uint64_t most = ~std::uint64_t{0};
  if (!options.max_count.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(most, parse_count("-m", options.max_count));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.memory.parse());
  BLOOMERY_ASSIGN_OR_RETURN(const hfile::OpenFilePointer file, hfile::open_hfile(options.file, {}, memory));
  HFileScanner scanner = hfile::ReaderAccess::reader_of(file).scan();
  CellPrinter printer(options.json ? CellForm::kJson : CellForm::kTabs);
  const Status printed = print_range(options, cells, most, file->trailer().row_order, scanner, printer);
  BLOOMERY_RETURN_IF_ERROR(printer.flush());  // also prints the cells that precede damage
  if (!printed) {
    return printed.error();
  }
  return static_cast<int>(kDone);
}

}  // namespace

void add_hfile_cat_verb(CLI::App& hfile, int& exit_status) {
  CLI::App* const verb = hfile.add_subcommand("cat", kHFileCatDescription);
  const auto options = std::make_shared<HFileCatOptions>();
  verb->add_option("FILE", options->file, "an HFile")->required();
  verb->add_option("--start-row", options->start_row, "begin at this row");
  verb->add_option("--stop-row", options->stop_row, "end before this row");
  options->cells.add_to(*verb);
  verb->add_option("-m,--max-count", options->max_count, "stop after so many cells");
  verb->add_flag("--json", options->json, "one JSON object a line; its bytes are escaped alike");
  options->memory.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = cat(*options);
    exit_status = status ? *status : report("hfile cat", status.error());
  });
}

}  // namespace bloomery::cli
