// bloomery table get: prints rows by their keys, as HBase would answer gets.
#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/stop_signal.h"
#include "cli/table/read_options.h"
#include "cli/table/result_printer.h"
#include "cli/table/scan_run.h"
#include "cli/table/table_place.h"
#include "cli/table/table_verbs.h"
#include "keys/input_files.h"

namespace bloomery::cli {
namespace {

constexpr const char* kVerb = "table get";
constexpr const char* kDescription =
    R"(Print the cells of a row, or of many rows, as HBase would answer gets.

  bloomery table get --root /hbase --table shop:orders --row o1001
  bloomery table get PLACE --row 'r\x00' --column d:state --versions all
  bloomery table get PLACE --row o1001 --explain            # which files were read, and why not the others
  cut -f1 wanted.tsv | bloomery table get PLACE --row -     # rows from standard input

Cells are printed as `table scan` prints them. --row - reads one row a line, in which \xHH is a byte, and answers in that
order, up to a thousand rows at a time; rows without cells print nothing. Exit status: 1 if no cell was found.)";

// The rows of one multi-get. Their answers are in memory together.
constexpr std::size_t kMostTogether = 1000;

struct Options {
  TablePlace place;
  ReadOptions cells;
  std::string row;
  bool explain = false;
  bool json = false;
};

Result<GetRequest> request_of(const CellRequest& cells, std::string_view row) {
  GetRequest request;
  static_cast<CellRequest&>(request) = cells;
  request.row = unescape_bytes(row);
  if (request.row.empty() || request.row.size() > kLongestRow) {
    return Error::invalid_argument(
        "row", fmt::format("expected 1 to {} bytes, found {}", kLongestRow, request.row.size()));
  }
  return request;
}

// Makes the get as the scan that it is, which can tell of files.
Status get_and_explain(const Table& table, const GetRequest& request, ResultPrinter& printer,
                       const std::string& begin) {
  ScanRequest scan;
  static_cast<CellRequest&>(scan) = request;
  scan.start = scan.stop = request.row;
  scan.includes_stop = true;
  scan.notes_files = true;
  BLOOMERY_ASSIGN_OR_RETURN(TableScanner scanner, table.scan(scan));
  const Result<bool> found = scanner.next();
  explain_files(begin, scanner.files());
  if (!found) {
    return found.error();
  }
  return *found ? printer.print(scanner.result()) : Status();
}

// Answers rows together. If one fails, those before it are answered first.
Status get_together(const Table& table, std::span<const GetRequest> requests, ResultPrinter& printer) {
  const auto results = table.get(requests);
  if (results) {
    for (const RowResult& result : *results) {
      BLOOMERY_RETURN_IF_ERROR(printer.print(result));
    }
    return {};
  }
  for (const GetRequest& request : requests) {
    BLOOMERY_ASSIGN_OR_RETURN(const RowResult result, table.get(request));
    BLOOMERY_RETURN_IF_ERROR(printer.print(result));
  }
  return results.error();
}

Status get_rows(const Options& options, const Table& table, const std::vector<GetRequest>& requests,
                ResultPrinter& printer) {
  if (options.explain) {
    for (const GetRequest& request : requests) {
      const std::string begin = options.row == "-" ? fmt::format("row {}: ", escape_bytes(request.row)) : "";
      BLOOMERY_RETURN_IF_ERROR(get_and_explain(table, request, printer, begin));
    }
    return {};
  }
  for (std::size_t i = 0; i < requests.size(); i += kMostTogether) {
    const auto some = std::span(requests).subspan(i, std::min(kMostTogether, requests.size() - i));
    BLOOMERY_RETURN_IF_ERROR(get_together(table, some, printer));
  }
  return {};
}

Result<std::vector<GetRequest>> requests_of(const CellRequest& cells, const LineBatch& batch,
                                            const InputFiles& input) {
  std::vector<GetRequest> requests;
  for (std::size_t i = 0; i < batch.lines.size(); ++i) {
    auto request = request_of(cells, batch.lines[i]);
    if (!request) {
      return request.error().in_file(
          fmt::format("{}: line {}", input.current_name(), input.first_line() + i));
    }
    requests.push_back(std::move(*request));
  }
  return requests;
}

Status get_rows_of_input(const Options& options, const CellRequest& cells, const Table& table,
                         ResultPrinter& printer, const std::atomic<bool>& stop) {
  InputFiles input({"-"}, '\n', &stop);
  LineBatch batch;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, input.next(batch));
    if (!more) {
      return {};
    }
    BLOOMERY_ASSIGN_OR_RETURN(const auto requests, requests_of(cells, batch, input));
    BLOOMERY_RETURN_IF_ERROR(get_rows(options, table, requests, printer));
    BLOOMERY_RETURN_IF_ERROR(printer.flush());  // who asks row by row is answered row by row
  }
}

Result<int> get(const Options& options) {
  CellRequest cells;
  BLOOMERY_RETURN_IF_ERROR(options.cells.fill(cells));
  ResultPrinter printer(options.json ? CellForm::kJson : CellForm::kTabs);
  Status got;
  bool is_stopped = false;
  if (options.row == "-") {
    BLOOMERY_ASSIGN_OR_RETURN(const Table table, options.place.open(kVerb));
    const std::atomic<bool>& stop = catch_stop_signals();
    got = get_rows_of_input(options, cells, table, printer, stop);
    is_stopped = stop;
  } else {
    const auto request = request_of(cells, options.row);
    if (!request) {
      return request.error().in_file("--row");
    }
    BLOOMERY_ASSIGN_OR_RETURN(const Table table, options.place.open(kVerb));
    got = get_rows(options, table, {*request}, printer);
  }
  BLOOMERY_RETURN_IF_ERROR(printer.flush());
  if (is_stopped) {
    warn(kVerb, "interrupted: the answer ends here");
    return static_cast<int>(kInterrupted);
  }
  if (!got) {
    return got.error();
  }
  return static_cast<int>(printer.cells() > 0 ? kDone : kNothing);
}

}  // namespace

void add_table_get_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("get", kDescription);
  const auto options = std::make_shared<Options>();
  verb->add_option("--row", options->row,
                   "the row; \\xHH is a byte. With - rows are read from standard input")
      ->required();
  options->cells.add_to(*verb);
  verb->add_flag("--explain", options->explain, "say of each file whether it was read, and why not");
  verb->add_flag("--json", options->json, "one JSON object a line");
  options->place.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = get(*options);
    exit_status = status ? *status : report(kVerb, status.error());
  });
}

}  // namespace bloomery::cli
