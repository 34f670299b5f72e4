// get, scan, count and get_counter.
#include <string>

#include <fmt/format.h>

#include "bloomery/table/row_reader.h"
#include "cli/exit_status.h"
#include "cli/shell/shell_arguments.h"
#include "cli/shell/shell_commands.h"
#include "cli/shell/shell_request.h"
#include "cli/table/scan_run.h"

namespace bloomery::cli {
namespace {

constexpr ArgumentCount kAnyCount{1, 1000};

// Counts rows. A row counts once, even if BATCH makes several results of it.
class RowCount {
 public:
  void add(const RowResult& result) {
    if (rows_ == 0 || result.row() != last_) {
      ++rows_;
      last_ = result.row();
    }
  }
  std::uint64_t rows() const { return rows_; }

 private:
  std::uint64_t rows_ = 0;
  std::string last_;
};

Status print_files(ShellText& text, const std::vector<FileOfScan>& files) {
  const std::string lines = files_text("", files);
  return lines.empty() ? text.line("no file was asked") : text.line(lines.substr(0, lines.size() - 1));
}

Result<int> explain_get(ShellText& text, const Table& table, const GetRequest& request) {
  BLOOMERY_ASSIGN_OR_RETURN(RowReader reader, RowReader::make(table, request));
  reader.note_files();
  RowResult result;
  const Result<bool> found = reader.get(request.row, result);
  BLOOMERY_RETURN_IF_ERROR(print_files(text, reader.files()));
  if (!found) {
    return found.error();
  }
  BLOOMERY_RETURN_IF_ERROR(text.rows(*found ? 1 : 0));
  return static_cast<int>(kDone);
}

}  // namespace

Result<int> shell_get(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, kAnyCount));
  BLOOMERY_ASSIGN_OR_RETURN(const ShellGet get, parse_get(std::span(statement.arguments).subspan(1)));
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, session.table(name));
  ShellText& text = session.text();
  if (statement.is_explained) {
    return explain_get(text, table, get.request);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const RowResult result, table.get(get.request));
  BLOOMERY_RETURN_IF_ERROR(text.header("COLUMN", "CELL"));
  for (const KeptCell& kept : result.cells()) {
    BLOOMERY_RETURN_IF_ERROR(text.cell_of_get(kept.cell(), get.look));
  }
  BLOOMERY_RETURN_IF_ERROR(text.rows(result.empty() ? 0 : 1));
  return static_cast<int>(kDone);
}

Result<int> shell_scan(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, kAnyCount));
  BLOOMERY_ASSIGN_OR_RETURN(ShellScan scan, parse_scan(std::span(statement.arguments).subspan(1)));
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, session.table(name));
  ShellText& text = session.text();
  scan.request.notes_files = statement.is_explained;
  if (!statement.is_explained) {
    BLOOMERY_RETURN_IF_ERROR(text.header("ROW", "COLUMN+CELL"));
  }
  RowCount count;
  BLOOMERY_ASSIGN_OR_RETURN(
      const ScanEnd end,
      run_scan(kShellVerb, table, scan.request,
               {.use = [&](const RowResult& result) -> Status {
                  count.add(result);
                  for (const KeptCell& kept : result.cells()) {
                    BLOOMERY_RETURN_IF_ERROR(
                        statement.is_explained ? Status() : text.cell_of_scan(kept.cell(), scan.look));
                  }
                  return {};
                },
                .flush = [&] { return text.flush(); },
                .explain = [&](const auto& files) { return print_files(text, files); },
                .hides_progress = text.is_terminal()}));
  BLOOMERY_RETURN_IF_ERROR(text.rows(count.rows()));
  return end.exit_status;
}

Result<int> shell_count(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, {1, 2}));
  BLOOMERY_ASSIGN_OR_RETURN(ShellScan scan, parse_shell_count(std::span(statement.arguments).subspan(1)));
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, session.table(name));
  ShellText& text = session.text();
  scan.request.notes_files = statement.is_explained;
  RowCount count;
  BLOOMERY_ASSIGN_OR_RETURN(
      const ScanEnd end,
      run_scan(kShellVerb, table, scan.request,
               {.use = [&](const RowResult& result) -> Status {
                  const std::uint64_t before = count.rows();
                  count.add(result);
                  if (count.rows() == before || count.rows() % scan.interval != 0) {
                    return {};
                  }
                  BLOOMERY_RETURN_IF_ERROR(text.line(
                      fmt::format("Current count: {}, row: {}", count.rows(), string_binary(result.row()))));
                  return text.is_terminal() ? text.flush() : Status();
                },
                .flush = [&] { return text.flush(); },
                .explain = [&](const auto& files) { return print_files(text, files); },
                .hides_progress = text.is_terminal()}));
  BLOOMERY_RETURN_IF_ERROR(text.rows(count.rows()));
  return end.exit_status;
}

Result<int> shell_get_counter(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, {3, 3}));
  GetRequest request;
  BLOOMERY_ASSIGN_OR_RETURN(request.row, text_argument("row", statement.arguments[1]));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string column, text_argument("column", statement.arguments[2]));
  request.columns = {column_of_text(column)};
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, session.table(name));
  BLOOMERY_ASSIGN_OR_RETURN(const RowResult result, table.get(request));
  if (result.empty()) {
    BLOOMERY_RETURN_IF_ERROR(session.text().line("No counter found at specified coordinates"));
    return static_cast<int>(kDone);
  }
  const std::string_view value = result.cells().front().cell().value;
  if (value.size() != sizeof(std::int64_t)) {
    return Error::invalid_argument(column,
                                   fmt::format("expected a value of 8 bytes, found {}", value.size()));
  }
  BLOOMERY_RETURN_IF_ERROR(session.text().line("COUNTER VALUE = " + number_text<std::int64_t>(value)));
  return static_cast<int>(kDone);
}

}  // namespace bloomery::cli
