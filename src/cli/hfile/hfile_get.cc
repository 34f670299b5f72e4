// bloomery hfile get: prints the cells of a row, reading only files that may have it.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/byte_text.h"
#include "bloomery/table/get.h"
#include "cli/exit_status.h"
#include "cli/file_memory_option.h"
#include "cli/hfile/cell_options.h"
#include "cli/hfile/cell_printer.h"
#include "cli/hfile/reports.h"
#include "cli/standard_streams.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kHFileGetDescription =
    R"(Print the cells of a row, from one or several HFiles; files that cannot hold it are not read.

  bloomery hfile get store.hfile --row r4
  bloomery hfile get *.hfile --row r4 --column cf:q1 --explain     # which files were read, and why not the others
  bloomery hfile get *.hfile --row 'r\x00' --since 1700000000000

All cells that are found are printed, in HBase's order, as `hfile cat` prints them: old versions and the markers that
delete others too, nothing is taken away. Where files hold the same key, the cell of the file that was named first comes
first. With --column F:Q the markers that delete the family F in that row are printed too.

--explain says on stderr of each file what skipped it (time range, key range, or Bloom filter: the chunk, where
it is, and which bits of the key are 0), or which blocks were read. Exit status: 1 if no cell was found.)";

struct HFileGetOptions {
  std::vector<std::string> files;
  std::string row;
  bool explain = false;
  bool json = false;
  CellOptions cells;
  FileMemoryOption memory;
};

Status print_cells(const HFileGetOptions& options, RowGet& get, CellPrinter& printer) {
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, get.next());
    if (!found) {
      return {};
    }
    BLOOMERY_RETURN_IF_ERROR(printer.print(get.cell(), options.files[get.file()]));
  }
}

void explain_file(const FileOfGet& file) {
  if (file.skipped_by != SkippedBy::kNothing) {
    say("{}: {}\n", file.path, file.reason);
    return;
  }
  say("{}: read, cells found: {}", file.path, file.cells);
  for (const BlockOfScan& block : file.blocks) {
    say("; {} at byte {}, {} bytes", block.kind, block.offset, block.on_disk_bytes);
  }
  say("\n");
}

Result<int> hfile_get(const HFileGetOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const CellChoice cells, options.cells.parse());
  const std::string row = unescape_bytes(options.row);
  if (row.size() > kLongestRow) {
    return Error::invalid_argument("--row",
                                   "expected at most 32767 bytes, found " + std::to_string(row.size()));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.memory.parse());
  BLOOMERY_ASSIGN_OR_RETURN(RowGet cells_of_row,
                            RowGet::open(options.files, row, cells,
                                         options.explain ? ExplainSkips::kYes : ExplainSkips::kNo, memory));
  CellPrinter printer(options.json ? CellForm::kJson : CellForm::kTabs);
  const Status printed = print_cells(options, cells_of_row, printer);
  BLOOMERY_RETURN_IF_ERROR(printer.flush());
  if (!printed) {
    return printed.error();
  }
  const std::vector<FileOfGet> files = cells_of_row.files();
  if (options.explain) {
    for (const FileOfGet& file : files) {
      explain_file(file);
    }
  }
  // A damaged filter is reported, although its file was read without it.
  for (const FileOfGet& file : files) {
    BLOOMERY_RETURN_IF_ERROR(check_filter_answers(file.path, file.filter_status, file.damaged_bloom_answers));
  }
  return static_cast<int>(printer.cells() > 0 ? kDone : kNothing);
}

}  // namespace

void add_hfile_get_verb(CLI::App& hfile, int& exit_status) {
  CLI::App* const verb = hfile.add_subcommand("get", kHFileGetDescription);
  const auto options = std::make_shared<HFileGetOptions>();
  verb->add_option("FILE", options->files, "HFiles, the newest last")->required();
  verb->add_option("--row", options->row, "the row; \\xHH is a byte")->required();
  options->cells.add_to(*verb);
  verb->add_flag("--explain", options->explain, "say of each file why it was skipped, or what was read");
  verb->add_flag("--json", options->json, "one JSON object a line");
  options->memory.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = hfile_get(*options);
    exit_status = status ? *status : report("hfile get", status.error());
  });
}

}  // namespace bloomery::cli
