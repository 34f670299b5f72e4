// bloomery table count: counts the rows and cells that a scan would return.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/exit_status.h"
#include "cli/table/scan_options.h"
#include "cli/table/scan_run.h"
#include "cli/table/table_place.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableCountVerb = "table count";
constexpr const char* kTableCountDescription =
    R"text(Count the rows and cells that `table scan` would print.

  bloomery table count --root /hbase --snapshot daily
  bloomery table count PLACE --filter "RowFilter(=, 'regexstring:^o1.*7$')"

It takes the options of `table scan`, and reads all cells that these ask for. --versions all counts old versions too.)text";

struct TableCountOptions {
  TablePlace place;
  ScanChoice choice;
  bool explain = false;
  bool json = false;
};

// Counts rows and cells. A row counts once, even if --batch splits it into several results.
struct TableCounts {
  std::uint64_t rows = 0;
  std::uint64_t cells = 0;
  std::string last_row = {};

  void add(const RowResult& result) {
    if (rows == 0 || result.row() != last_row) {
      ++rows;
      last_row = result.row();
    }
    cells += result.size();
  }
};

Result<int> count(const TableCountOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(ScanRequest request, options.choice.parse());
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, options.place.open(kTableCountVerb));
  request.notes_files = options.explain;
  TableCounts counts;
  BLOOMERY_ASSIGN_OR_RETURN(const ScanEnd end, run_scan(kTableCountVerb, table, std::move(request),
                                                        {.use = [&](const RowResult& result) {
                                                          counts.add(result);
                                                          return Status();
                                                        }}));
  if (end.exit_status == kInterrupted) {
    return end.exit_status;
  }
  if (options.json) {
    const nlohmann::ordered_json object = {{"rows", counts.rows}, {"cells", counts.cells}};
    fmt::print("{}\n", object.dump());
  } else {
    fmt::print("rows   {}\ncells  {}\n", counts.rows, counts.cells);
  }
  return end.exit_status;
}

}  // namespace

void add_table_count_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("count", kTableCountDescription);
  const auto options = std::make_shared<TableCountOptions>();
  options->choice.add_to(*verb);
  verb->add_flag("--explain", options->explain, "say of each file whether it was read, and why not");
  verb->add_flag("--json", options->json, "one JSON object");
  options->place.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = count(*options);
    exit_status = status ? *status : report(kTableCountVerb, status.error());
  });
}

}  // namespace bloomery::cli
