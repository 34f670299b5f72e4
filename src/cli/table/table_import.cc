// bloomery table import: writes the cells of lines, in any order, to a table.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/standard_streams.h"
#include "cli/stop_signal.h"
#include "cli/summary.h"
#include "cli/table/import_parser.h"
#include "cli/table/write_place.h"
#include "cli/verbs.h"
#include "keys/input_files.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableImportVerb = "table import";
constexpr const char* kTableImportDescription =
    R"(Write the cells of lines to a table. The lines need no order.

  bloomery table import shop orders cells.tsv
  bloomery table import shop orders --csv --columns row,d:state,-,d:price --header orders.csv.gz
  bloomery table scan --root /hbase --snapshot daily | bloomery table import shop orders
  make_rows | bloomery table import shop orders --echo | while read -r line; do ...    # each line that is on the disk

A line: ROW, FAMILY:QUALIFIER, VALUE and perhaps TIMESTAMP, with tabs between; or what `table scan` and `hfile cat` print, also
deletes. \xHH is a byte and \\ a backslash. Of equal keys the last line counts. With --csv a line is a record, without escapes.
Lines are written in batches, as they arrive. At a wrong line, at Ctrl-C or after a crash, the lines before it are written.
Status 1: the input has no cells.)";

struct TableImportOptions {
  WritePlace place;
  std::vector<std::string> inputs;
  bool is_json = false;
  bool is_csv = false;
  std::string columns;
  bool has_header = false;
  std::string timestamp;
  bool echoes = false;
  SummaryChoice summary;

  Result<ImportParser> parser() const {
    std::optional<std::int64_t> time;
    if (!timestamp.empty()) {
      BLOOMERY_ASSIGN_OR_RETURN(time, parse_milliseconds("--timestamp", timestamp));
    }
    if (is_csv) {
      BLOOMERY_ASSIGN_OR_RETURN(auto mapping, parse_csv_mapping(columns));
      return ImportParser(std::move(mapping), time);
    }
    return ImportParser(is_json ? CellForm::kJson : CellForm::kTabs, time);
  }
  InputShape shape() const {
    InputShape shape('\n');
    shape.has_header = has_header;
    return shape;
  }
};

class TableImportRun {
 public:
  TableImportRun(const TableImportOptions& options, ImportParser parser)
      : options_(options),
        stop_(catch_stop_signals()),
        input_(options.inputs, options.shape(), &stop_),
        parser_(std::move(parser)) {}

  Result<int> run() {
    if (input_.is_typed()) {
      progress_.hide();
    }
    const Status written = options_.place.write(
        true, [&](StoreTable& table, const bloomery::WriteOptions& how) { return write_all(table, how); });
    progress_.clear();
    if (stop_ || !written) {
      warn(kTableImportVerb, fmt::format("{}; written: {} of {}", stop_ ? "interrupted" : "not finished",
                                         show_count_of(cells_, "cell"), show_count_of(lines_, "line")));
    }
    if (!written) {
      return written.error();
    }
    if (stop_) {
      return static_cast<int>(kInterrupted);
    }
    if (options_.summary.wanted()) {
      summarize();
    }
    return static_cast<int>(cells_ > 0 ? kDone : kNothing);
  }

 private:
  Status write_all(StoreTable& table, const bloomery::WriteOptions& how) {
    const auto total = input_.total_bytes();
    LineBatch batch;
    for (;;) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool more, input_.next(batch));
      if (!more) {
        return {};
      }
      BLOOMERY_RETURN_IF_ERROR(write_batch(table, how, batch));
      progress_.update(cells_, input_.bytes_read(), total, "cells");
    }
  }

  // Writes the lines before the first wrong one, and returns its error.
  Status write_batch(StoreTable& table, const bloomery::WriteOptions& how, const LineBatch& batch) {
    mutations_.clear();
    memory_.release();
    Status parsed;
    std::size_t lines = 0;
    for (; lines < batch.lines.size() && parsed; lines += parsed ? 1U : 0U) {
      parsed = add(table, batch.lines[lines]);
    }
    BLOOMERY_RETURN_IF_ERROR(table.mutate(mutations_, how));
    cells_ += mutations_.size();
    lines_ += lines;
    BLOOMERY_RETURN_IF_ERROR(echo(batch, lines));
    return parsed ? parsed
                  : Status(parsed.error().in_file(
                        fmt::format("{}: line {}", input_.current_name(), input_.first_line() + lines)));
  }

  // Adds the mutations of a line, all of them or none.
  Status add(const StoreTable& table, std::string_view line) {
    const std::size_t before = mutations_.size();
    Status added = parser_.parse(line, memory_, mutations_);
    for (std::size_t i = before; added && i < mutations_.size(); ++i) {
      added = table.check(mutations_[i]);
    }
    mutations_.resize(added ? mutations_.size() : before);
    return added;
  }

  Status echo(const LineBatch& batch, std::size_t lines) const {
    if (!options_.echoes) {
      return {};
    }
    for (std::size_t i = 0; i < lines; ++i) {
      fmt::print("{}\n", batch.lines[i]);
    }
    return flush_standard_output() ? Status() : Status(Error::io("standard output", "write", EPIPE));
  }

  void summarize() const {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    warn(kTableImportVerb, fmt::format("{} of {}; {:.0f} MB/s read", show_count_of(cells_, "cell"),
                                       show_count_of(lines_, "line"),
                                       static_cast<double>(input_.bytes_read()) / seconds / 1e6));
  }

  const TableImportOptions& options_;
  std::atomic<bool>& stop_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  InputFiles input_;
  ImportParser parser_;
  Progress progress_{kTableImportVerb};
  std::pmr::monotonic_buffer_resource memory_{std::size_t{64} << 10};
  std::vector<Mutation> mutations_;
  std::uint64_t cells_ = 0;
  std::uint64_t lines_ = 0;
};

Result<int> import_lines(const TableImportOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(ImportParser parser, options.parser());
  TableImportRun run(options, std::move(parser));
  return run.run();
}

}  // namespace

void add_table_import_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("import", kTableImportDescription);
  const auto options = std::make_shared<TableImportOptions>();
  options->place.add_to(*verb);
  verb->add_option(
      "FILE", options->inputs,
      "files of lines; - is standard input, the default (gzip, zstd, xz and bzip2 are recognised)");
  CLI::Option* const json =
      verb->add_flag("--json", options->is_json, "JSON, one object a line, as `table scan --json` prints it");
  CLI::Option* const columns =
      verb->add_option("--columns", options->columns,
                       "what the fields of CSV are: row, timestamp, FAMILY:QUALIFIER, or - if not used")
          ->type_name("NAME,...");
  CLI::Option* const csv =
      verb->add_flag("--csv", options->is_csv, "CSV, one record a line")->excludes(json)->needs(columns);
  columns->needs(csv);
  verb->add_flag("--header", options->has_header, "the first line of each file is no record")->needs(csv);
  verb->add_option("--timestamp", options->timestamp, "milliseconds, of lines that have none (default: now)");
  verb->add_flag("--echo", options->echoes, "print each line when it is written as --durability says");
  options->summary.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = import_lines(*options);
    exit_status = status ? *status : report(kTableImportVerb, status.error());
  });
}

}  // namespace bloomery::cli
