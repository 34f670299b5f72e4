// Commands of whole tables, namespaces and snapshots.
#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/shell/shell_arguments.h"
#include "cli/shell/shell_commands.h"
#include "cli/shell/shell_schema.h"

namespace bloomery::cli {
namespace {

// Calls a method of the table that the only argument names.
Result<int> with_whole_table(ShellSession& session, const ShellStatement& statement,
                             Status (StoreTable::*work)()) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, {}));
  BLOOMERY_ASSIGN_OR_RETURN(StoreTable table, session.writable_table(name));
  BLOOMERY_RETURN_IF_ERROR((table.*work)());
  return static_cast<int>(kDone);
}

// Keeps the names that are matches of the argument, a regular expression. The library reports a wrong one by
// an exception.
Status keep_matches(const ShellStatement& statement, std::vector<std::string>& names) {
  if (statement.arguments.empty()) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::string pattern, text_argument("pattern", statement.arguments[0]));
  try {
    const std::regex regex(pattern);
    std::erase_if(names, [&](const std::string& name) { return !std::regex_match(name, regex); });
    return {};
  } catch (const std::regex_error&) {
    return Error::invalid_argument(
        statement.command, fmt::format("expected a regular expression, found '{}'", printable_text(pattern)));
  }
}

// Lists names, or those that match the argument.
Result<int> list_names(ShellSession& session, const ShellStatement& statement, std::string_view header,
                       std::vector<std::string> names) {
  BLOOMERY_RETURN_IF_ERROR(check_argument_count(statement, {0, 1}));
  BLOOMERY_RETURN_IF_ERROR(keep_matches(statement, names));
  BLOOMERY_RETURN_IF_ERROR(session.text().line(header));
  for (const std::string& name : names) {
    BLOOMERY_RETURN_IF_ERROR(session.text().line(string_binary(name)));
  }
  BLOOMERY_RETURN_IF_ERROR(session.text().rows(names.size()));
  return static_cast<int>(kDone);
}

}  // namespace

Result<int> shell_create(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const ShellCreate create, parse_create(statement.arguments));
  BLOOMERY_ASSIGN_OR_RETURN(Store* const store, session.writable());
  BLOOMERY_ASSIGN_OR_RETURN(const StoreTable table, store->create_table(create.schema, create.splits));
  BLOOMERY_RETURN_IF_ERROR(session.text().line("Created table " + table.name()));
  return static_cast<int>(kDone);
}

Result<int> shell_alter(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, {2, 1000}));
  BLOOMERY_ASSIGN_OR_RETURN(const StoreTable table, session.writable_table(name));
  TableSchema schema = table.schema();
  BLOOMERY_RETURN_IF_ERROR(apply_alter(std::span(statement.arguments).subspan(1), schema));
  BLOOMERY_RETURN_IF_ERROR(session.text().line("Updating all regions with the new schema..."));
  BLOOMERY_RETURN_IF_ERROR(session.store()->alter_table(schema));
  const std::size_t regions = table.reader().regions().size();
  BLOOMERY_RETURN_IF_ERROR(session.text().line(fmt::format("{0}/{0} regions updated.\nDone.", regions)));
  return static_cast<int>(kDone);
}

Result<int> shell_describe(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, {}));
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, session.table(name));
  const TableSchema& schema = table.schema();
  ShellText& text = session.text();
  BLOOMERY_RETURN_IF_ERROR(text.line(fmt::format("Table {} is ENABLED", string_binary(name))));
  BLOOMERY_RETURN_IF_ERROR(text.line(string_binary(name) + describe_attributes(schema)));
  BLOOMERY_RETURN_IF_ERROR(text.line("COLUMN FAMILIES DESCRIPTION"));
  for (const FamilySchema& family : schema.families) {
    BLOOMERY_RETURN_IF_ERROR(text.line(describe_family(family) + "\n"));
  }
  BLOOMERY_RETURN_IF_ERROR(text.rows(schema.families.size()));
  return static_cast<int>(kDone);
}

Result<int> shell_list(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(auto tables, session.tables());
  std::erase_if(tables, [](const std::string& name) { return name.starts_with("hbase:"); });
  return list_names(session, statement, "TABLE", std::move(tables));
}

Result<int> shell_split(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, {2, 1000}));
  std::vector<std::string> rows;
  for (const ShellValue& argument : std::span(statement.arguments).subspan(1)) {
    BLOOMERY_ASSIGN_OR_RETURN(std::string row, text_argument("row", argument));
    rows.push_back(std::move(row));
  }
  BLOOMERY_ASSIGN_OR_RETURN(Store* const store, session.writable());
  BLOOMERY_RETURN_IF_ERROR(store->split_table(name, rows));
  return static_cast<int>(kDone);
}

Result<int> shell_snapshot(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string table, table_argument(statement, {2, 2}));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, text_argument("snapshot", statement.arguments[1]));
  BLOOMERY_ASSIGN_OR_RETURN(Store* const store, session.writable());
  BLOOMERY_RETURN_IF_ERROR(store->snapshot(table, name));
  return static_cast<int>(kDone);
}

Result<int> shell_clone_snapshot(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_RETURN_IF_ERROR(check_argument_count(statement, {2, 2}));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, text_argument("snapshot", statement.arguments[0]));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string table, text_argument("table", statement.arguments[1]));
  BLOOMERY_ASSIGN_OR_RETURN(Store* const store, session.writable());
  const Result<StoreTable> cloned = store->clone_snapshot(name, table);
  return cloned ? Result<int>(kDone) : cloned.error();
}

Result<int> shell_delete_snapshot(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_RETURN_IF_ERROR(check_argument_count(statement, {}));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, text_argument("snapshot", statement.arguments[0]));
  BLOOMERY_ASSIGN_OR_RETURN(Store* const store, session.writable());
  BLOOMERY_RETURN_IF_ERROR(store->delete_snapshot(name));
  return static_cast<int>(kDone);
}

Result<int> shell_list_snapshots(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_RETURN_IF_ERROR(check_argument_count(statement, {0, 1}));
  std::vector<std::string> names;
  std::map<std::string, std::string> tables;
  BLOOMERY_ASSIGN_OR_RETURN(const auto snapshots, session.snapshots());
  for (const SnapshotInfo& snapshot : snapshots) {
    names.push_back(snapshot.name);
    tables[snapshot.name] = snapshot.created_ms == 0 ? snapshot.table
                                                     : fmt::format("{} ({})", snapshot.table,
                                                                   session.text().time(snapshot.created_ms));
  }
  BLOOMERY_RETURN_IF_ERROR(keep_matches(statement, names));
  BLOOMERY_RETURN_IF_ERROR(session.text().header("SNAPSHOT", "TABLE + CREATION TIME"));
  for (const std::string& name : names) {
    BLOOMERY_RETURN_IF_ERROR(session.text().row(string_binary(name), tables[name]));
  }
  BLOOMERY_RETURN_IF_ERROR(session.text().rows(names.size()));
  return static_cast<int>(kDone);
}

Result<int> shell_list_namespace(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto tables, session.tables());
  std::set<std::string> names = {"default"};
  for (const std::string& table : tables) {
    const std::size_t colon = table.find(':');
    names.insert(colon == std::string::npos ? "default" : table.substr(0, colon));
  }
  return list_names(session, statement, "NAMESPACE", {names.begin(), names.end()});
}

Result<int> shell_exists(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, {}));
  BLOOMERY_ASSIGN_OR_RETURN(const auto tables, session.tables());
  const std::string short_name = name.starts_with("default:") ? name.substr(8) : name;
  const bool is_there = std::ranges::find(tables, short_name) != tables.end();
  BLOOMERY_RETURN_IF_ERROR(
      session.text().line(fmt::format("Table {} does {}exist", string_binary(name), is_there ? "" : "not ")));
  return static_cast<int>(kDone);
}

Result<int> shell_drop(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, {}));
  BLOOMERY_ASSIGN_OR_RETURN(Store* const store, session.writable());
  BLOOMERY_RETURN_IF_ERROR(store->drop_table(name));
  return static_cast<int>(kDone);
}

Result<int> shell_truncate(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, {}));
  BLOOMERY_ASSIGN_OR_RETURN(Store* const store, session.writable());
  BLOOMERY_RETURN_IF_ERROR(session.text().line(
      fmt::format("Truncating '{}' table (it may take a while):\nTruncating table...", string_binary(name))));
  BLOOMERY_RETURN_IF_ERROR(store->truncate_table(name));
  return static_cast<int>(kDone);
}

Result<int> shell_flush(ShellSession& session, const ShellStatement& statement) {
  return with_whole_table(session, statement, &StoreTable::flush);
}

Result<int> shell_compact(ShellSession& session, const ShellStatement& statement) {
  return with_whole_table(session, statement, &StoreTable::compact);
}

Result<int> shell_major_compact(ShellSession& session, const ShellStatement& statement) {
  return with_whole_table(session, statement, &StoreTable::major_compact);
}

Result<int> shell_not_needed(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, table_argument(statement, {1, 2}));
  if (!statement.command.ends_with("_namespace")) {
    BLOOMERY_RETURN_IF_ERROR(session.check_table(name));
  }
  std::string help(shell_command(statement.command)->help);
  help.front() = 'n';
  warn(kShellVerb, fmt::format("{}: {}", statement.command, help));
  return static_cast<int>(kDone);
}

}  // namespace bloomery::cli
