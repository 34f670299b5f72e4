// bloomery table scan: prints the cells of a range of rows that HBase would return.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/exit_status.h"
#include "cli/hfile/cell_printer.h"
#include "cli/table/scan_options.h"
#include "cli/table/scan_run.h"
#include "cli/table/table_place.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableScanVerb = "table scan";
constexpr const char* kTableScanDescription =
    R"text(Print the rows of a table or snapshot, as HBase would answer a scan.

  bloomery table scan --root /hbase --snapshot daily > daily.tsv
  bloomery table scan --root /hbase --table shop:orders --prefix o10 --column d:state --versions 3
  bloomery table scan PLACE --start r2 --stop r4 --include-stop --limit 10
  bloomery table scan PLACE --filter "SingleColumnValueFilter('d', 'state', =, 'binary:open')"

A line is a cell, as `hfile cat` prints it: row, family, qualifier, timestamp, type, value, tags, mvcc; separated by tabs,
other bytes than 0x21 to 0x7e and the backslash as \xHH. What a delete hides, what is too old and surplus versions are not
printed. At damage the scan ends with status 3 after the rows before it; --skip-damaged goes on behind it and says which
rows are missing. Ctrl-C ends it after whole lines, with status 130.)text";

struct TableScanOptions {
  TablePlace place;
  ScanChoice choice;
  bool explain = false;
  bool json = false;
};

Result<int> scan(const TableScanOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(ScanRequest request, options.choice.parse());
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, options.place.open(kTableScanVerb));
  request.notes_files = options.explain;
  CellPrinter printer(options.json ? CellForm::kJson : CellForm::kTabs);
  BLOOMERY_ASSIGN_OR_RETURN(const ScanEnd end,
                            run_scan(kTableScanVerb, table, std::move(request),
                                     {.use = [&](const RowResult& result) { return printer.print(result); },
                                      .flush = [&] { return printer.flush(); }}));
  return end.exit_status;
}

}  // namespace

void add_table_scan_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("scan", kTableScanDescription);
  const auto options = std::make_shared<TableScanOptions>();
  options->choice.add_to(*verb);
  verb->add_flag("--explain", options->explain, "say of each file whether it was read, and why not");
  verb->add_flag("--json", options->json, "one JSON object a line");
  options->place.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = scan(*options);
    exit_status = status ? *status : report(kTableScanVerb, status.error());
  });
}

}  // namespace bloomery::cli
