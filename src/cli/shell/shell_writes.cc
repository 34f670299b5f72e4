// put, delete, deleteall, incr and append.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bloomery/table/filter_language.h"
#include "cli/exit_status.h"
#include "cli/shell/shell_arguments.h"
#include "cli/shell/shell_commands.h"
#include "cli/table/scan_run.h"
#include "cli/table/table_writes.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kRowsOfDelete = 1000;  // deleted with one call

// The table, row and column of a write.
struct WrittenColumn {
  StoreTable table;
  std::string row;
  RequestedColumn column;

  // "f" and "f:" are the column without a qualifier.
  std::string_view qualifier() const { return column.qualifier ? *column.qualifier : std::string_view(); }
};

Result<WrittenColumn> written_column(ShellSession& session, const ShellStatement& statement,
                                     ArgumentCount count) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, count));
  BLOOMERY_ASSIGN_OR_RETURN(std::string row, text_argument("row", statement.arguments[1]));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string column, text_argument("column", statement.arguments[2]));
  BLOOMERY_ASSIGN_OR_RETURN(StoreTable table, session.writable_table(name));
  return WrittenColumn{std::move(table), std::move(row), column_of_text(column)};
}

// Returns the timestamp that is argument `i`, if there is one.
Result<std::optional<std::int64_t>> given_time(const ShellStatement& statement, std::size_t i) {
  if (statement.arguments.size() <= i) {
    return std::optional<std::int64_t>();
  }
  if (statement.arguments[i].get_if<ShellHash>() != nullptr) {
    return Error::invalid_argument(statement.command,
                                   "expected no TTL, VISIBILITY and ATTRIBUTES of a write, found a hash");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t time, timestamp_argument(statement.arguments[i]));
  return std::optional(time);
}

// An increment or append needs a qualifier, as in HBase.
Status check_qualifier(const ShellStatement& statement, const WrittenColumn& at) {
  return at.column.qualifier
             ? Status()
             : Error::invalid_argument(statement.command, "expected FAMILY:QUALIFIER, found no qualifier");
}

Status delete_rows(StoreTable& table, const std::vector<std::string>& rows) {
  const TableSchema schema = table.schema();
  std::vector<Mutation> mutations;
  for (const std::string& row : rows) {
    for (const FamilySchema& family : schema.families) {
      mutations.push_back({.row = row, .family = family.name, .type = CellType::kDeleteFamily});
    }
  }
  return table.mutate(mutations);
}

Result<int> delete_prefix(ShellSession& session, const std::string& name, const ShellHash& hash) {
  ShellOptions options(hash);
  BLOOMERY_ASSIGN_OR_RETURN(const auto prefix, options.take_text("ROWPREFIXFILTER"));
  options.take("CACHE");
  BLOOMERY_RETURN_IF_ERROR(options.check_all_taken("deleteall", "a row, or ROWPREFIXFILTER"));
  if (!prefix || prefix->empty()) {
    return Error::invalid_argument("ROWPREFIXFILTER", "expected a prefix of rows, found none");
  }
  BLOOMERY_ASSIGN_OR_RETURN(StoreTable table, session.writable_table(name));
  ScanRequest request;
  request.set_prefix(*prefix, false);
  BLOOMERY_ASSIGN_OR_RETURN(request.filter, parse_filter("FirstKeyOnlyFilter() AND KeyOnlyFilter()"));
  std::vector<std::string> rows;
  std::uint64_t deleted = 0;
  const auto delete_noted = [&]() -> Status {
    BLOOMERY_RETURN_IF_ERROR(delete_rows(table, rows));
    deleted += rows.size();
    rows.clear();
    return {};
  };
  BLOOMERY_ASSIGN_OR_RETURN(const ScanEnd end,
                            run_scan(kShellVerb, table.reader(), request,
                                     {.use =
                                          [&](const RowResult& result) {
                                            rows.emplace_back(result.row());
                                            return rows.size() < kRowsOfDelete ? Status() : delete_noted();
                                          },
                                      .flush = delete_noted}));
  BLOOMERY_RETURN_IF_ERROR(session.text().rows(deleted));
  return end.exit_status;
}

}  // namespace

Result<int> shell_put(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(WrittenColumn at, written_column(session, statement, {4, 5}));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string value, text_argument("value", statement.arguments[3]));
  BLOOMERY_ASSIGN_OR_RETURN(const auto time, given_time(statement, 4));
  const Mutation put{.row = at.row,
                     .family = at.column.family,
                     .qualifier = at.qualifier(),
                     .timestamp = time,
                     .value = value};
  BLOOMERY_RETURN_IF_ERROR(at.table.mutate({&put, 1}));
  return static_cast<int>(kDone);
}

Result<int> shell_delete(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(WrittenColumn at, written_column(session, statement, {3, 4}));
  BLOOMERY_ASSIGN_OR_RETURN(const auto time, given_time(statement, 3));
  BLOOMERY_RETURN_IF_ERROR(delete_cells(at.table, {.row = at.row,
                                                   .family = at.column.family,
                                                   .qualifier = at.column.qualifier,
                                                   .timestamp = time,
                                                   .is_one_version = true}));
  return static_cast<int>(kDone);
}

Result<int> shell_deleteall(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, {2, 4}));
  const std::vector<ShellValue>& arguments = statement.arguments;
  if (const auto* const hash = arguments[1].get_if<ShellHash>()) {
    BLOOMERY_RETURN_IF_ERROR(check_argument_count(statement, {2, 2}));
    return delete_prefix(session, name, *hash);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::string row, text_argument("row", arguments[1]));
  BLOOMERY_ASSIGN_OR_RETURN(const auto time, given_time(statement, 3));
  Deletion deletion{.row = row, .timestamp = time};
  RequestedColumn column;
  if (arguments.size() > 2 && !arguments[2].is_nil()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string text, text_argument("column", arguments[2]));
    column = column_of_text(text);
    deletion.family = column.family;
    deletion.qualifier = column.qualifier;
  }
  BLOOMERY_ASSIGN_OR_RETURN(StoreTable table, session.writable_table(name));
  BLOOMERY_RETURN_IF_ERROR(delete_cells(table, deletion));
  return static_cast<int>(kDone);
}

Result<int> shell_incr(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(WrittenColumn at, written_column(session, statement, {3, 4}));
  BLOOMERY_RETURN_IF_ERROR(check_qualifier(statement, at));
  std::int64_t amount = 1;
  if (statement.arguments.size() > 3) {
    BLOOMERY_ASSIGN_OR_RETURN(amount, whole_argument("amount", statement.arguments[3]));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t sum,
                            at.table.increment(at.row, at.column.family, at.qualifier(), amount));
  BLOOMERY_RETURN_IF_ERROR(session.text().line(fmt::format("COUNTER VALUE = {}", sum)));
  return static_cast<int>(kDone);
}

Result<int> shell_append(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(WrittenColumn at, written_column(session, statement, {4, 4}));
  BLOOMERY_RETURN_IF_ERROR(check_qualifier(statement, at));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string value, text_argument("value", statement.arguments[3]));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string sum,
                            at.table.append(at.row, at.column.family, at.qualifier(), value));
  BLOOMERY_RETURN_IF_ERROR(session.text().line("CURRENT VALUE = " + string_binary(sum)));
  return static_cast<int>(kDone);
}

}  // namespace bloomery::cli
