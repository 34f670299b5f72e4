#include "cli/shell/shell_commands.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/help_formatter.h"
#include "cli/numbers.h"
#include "cli/shell/shell_arguments.h"
#include "cli/suggestion.h"

namespace bloomery::cli {
namespace {

Result<int> shell_status(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_RETURN_IF_ERROR(check_argument_count(statement, {0, 1}));
  BLOOMERY_ASSIGN_OR_RETURN(const auto tables, session.tables());
  const Store* const store = session.store();
  BLOOMERY_RETURN_IF_ERROR(session.text().line(
      fmt::format("{}: open for {}, {}", printable_text(session.root()),
                  store == nullptr ? "reading" : "writing", show_count_of(tables.size(), "table"))));
  if (store == nullptr) {
    return static_cast<int>(kDone);
  }
  const StoreCounters counters = store->counters();
  BLOOMERY_RETURN_IF_ERROR(session.text().line(
      fmt::format("since then: writes {}, syncs {}, flushes {}, compactions {} of {}",
                  show_count(counters.writes), show_count(counters.syncs), show_count(counters.flushes),
                  show_count(counters.compactions), show_bytes(counters.compacted_bytes))));
  if (const Status health = store->compaction_health(); !health) {
    BLOOMERY_RETURN_IF_ERROR(
        session.text().line("last compaction: " + printable_text(health.error().to_string())));
  }
  BLOOMERY_RETURN_IF_ERROR(store->health());
  return static_cast<int>(kDone);
}

Result<int> shell_version(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_RETURN_IF_ERROR(check_argument_count(statement, {0, 0}));
  BLOOMERY_RETURN_IF_ERROR(session.text().line(session.version()));
  return static_cast<int>(kDone);
}

Result<int> shell_exit(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_RETURN_IF_ERROR(check_argument_count(statement, {0, 0}));
  session.end();
  return static_cast<int>(kDone);
}

Status list_commands(ShellText& text) {
  std::string names;
  std::string_view group;
  for (const ShellCommand& command : shell_commands()) {
    if (command.group != group) {
      BLOOMERY_RETURN_IF_ERROR(group.empty() ? Status() : text.line(names));
      group = command.group;
      names = fmt::format("  {:<10}  ", group);
    } else {
      names += ", ";
    }
    names += command.name;
  }
  BLOOMERY_RETURN_IF_ERROR(text.line(names));
  return text.line(
      "\nhelp 'get' explains a command. Texts are in quotes, and \"\\x00\" is a byte. A line that ends in a "
      "comma\n"
      "goes on. `explain` before get, scan or count shows which files and blocks it reads, and why not the "
      "others.");
}

Result<int> shell_help(ShellSession& session, const ShellStatement& statement) {
  BLOOMERY_RETURN_IF_ERROR(check_argument_count(statement, {0, 1}));
  if (statement.arguments.empty()) {
    BLOOMERY_RETURN_IF_ERROR(list_commands(session.text()));
    return static_cast<int>(kDone);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::string name, text_argument("command", statement.arguments[0]));
  const ShellCommand* const command = shell_command(name);
  if (command == nullptr) {
    return Error::invalid_argument("help", fmt::format("expected a command, found {}", printable_text(name)));
  }
  BLOOMERY_RETURN_IF_ERROR(session.text().line(command->help));
  return static_cast<int>(kDone);
}

constexpr ShellCommand kShellCommands[] = {
    {"help", "general", "List the commands, or explain one.\n\n  help\n  help 'scan'", shell_help},
    {"status", "general", "Show what the root is open for, and what was done since then.\n\n  status",
     shell_status},
    {"version", "general", "Show the version of the command.\n\n  version", shell_version},
    {"exit", "general", "End the shell, as Ctrl-D does.\n\n  exit", shell_exit},
    {"quit", "general", "End the shell, as Ctrl-D does.\n\n  quit", shell_exit},

    {"list", "ddl",
     "List the tables, or those whose name is a match of a regular expression.\n\n  list\n  list 'shop:.*'",
     shell_list},
    {"create", "ddl",
     "Make a table with its families. A family is a name, or a hash with NAME and attributes. SPLITS are the "
     "first rows\n"
     "of further regions; \\xHH in them is a byte.\n\n"
     "  create 't1', 'f1', 'f2'\n"
     "  create 'ns:t1', {NAME => 'f1', VERSIONS => 5, TTL => 86400, BLOOMFILTER => 'ROWCOL', COMPRESSION => "
     "'ZSTD'}\n"
     "  create 't1', 'f1', SPLITS => ['g', 'n', 't']\n"
     "  create 't1', 'f1', SPLITS_FILE => 'splits.txt', MAX_FILESIZE => '1GB'",
     shell_create},
    {"describe", "ddl", "Show the attributes of a table and of its families.\n\n  describe 't1'",
     shell_describe},
    {"desc", "ddl", "Show the attributes of a table and of its families.\n\n  desc 't1'", shell_describe},
    {"alter", "ddl",
     "Add, change or delete families, and set or unset attributes of a table. Others stay as they are.\n\n"
     "  alter 't1', NAME => 'f1', VERSIONS => 5\n"
     "  alter 't1', 'f3', {NAME => 'f2', METHOD => 'delete'}\n"
     "  alter 't1', 'delete' => 'f2'\n"
     "  alter 't1', MEMSTORE_FLUSHSIZE => '64MB'\n"
     "  alter 't1', METHOD => 'table_att_unset', NAME => 'MEMSTORE_FLUSHSIZE'",
     shell_alter},
    {"exists", "ddl", "Say whether a table exists.\n\n  exists 't1'", shell_exists},
    {"drop", "ddl", "Remove a table with all its rows. It need not be disabled.\n\n  drop 't1'", shell_drop},
    {"disable", "ddl", "Not needed: drop, truncate and alter work on a table that is in use.",
     shell_not_needed},
    {"enable", "ddl", "Not needed: a table is always enabled.", shell_not_needed},

    {"get", "dml",
     "Print the cells of a row.\n\n"
     "  get 't1', 'r1'\n"
     "  get 't1', 'r1', 'f1:a', 'f1:b'\n"
     "  get 't1', 'r1', {COLUMN => 'f1:a', VERSIONS => 3, TIMERANGE => [0, 1700000000000]}\n"
     "  get 't1', \"r\\x00\", {FILTER => \"ValueFilter(=, 'binary:v')\"}\n"
     "  get 't1', 'r1', 'f1:n:toLong'              # a value of 8 bytes as a number\n"
     "  explain get 't1', 'r1'",
     shell_get, true},
    {"scan", "dml",
     "Print the cells of a range of rows.\n\n"
     "  scan 't1'\n"
     "  scan 't1', {STARTROW => 'a', STOPROW => 'b', LIMIT => 10}\n"
     "  scan 't1', {ROWPREFIXFILTER => 'a', COLUMNS => ['f1:a', 'f2'], REVERSED => true}\n"
     "  scan 't1', {RAW => true, VERSIONS => 10}\n"
     "  scan 't1', {FILTER => \"SingleColumnValueFilter('f1', 'a', =, 'binary:v')\", MAXLENGTH => 80}\n"
     "  explain scan 't1', {ROWPREFIXFILTER => 'a'}",
     shell_scan, true},
    {"count", "dml",
     "Count the rows of a table, or of a range of it. INTERVAL says after how many rows the count so far is "
     "printed.\n\n"
     "  count 't1'\n"
     "  count 't1', INTERVAL => 100000, STARTROW => 'a'",
     shell_count, true},
    {"put", "dml",
     "Put a value into a column of a row. When it returns, the value is on the disk, unless DURABILITY of "
     "the table says\n"
     "otherwise.\n\n"
     "  put 't1', 'r1', 'f1:a', 'value'\n"
     "  put 't1', 'r1', 'f1:a', \"\\x00\\x01\", 1700000000000",
     shell_put},
    {"delete", "dml",
     "Delete one version of a column: the newest, or that of a timestamp. deleteall deletes all.\n\n"
     "  delete 't1', 'r1', 'f1:a'\n"
     "  delete 't1', 'r1', 'f1:a', 1700000000000",
     shell_delete},
    {"deleteall", "dml",
     "Delete a row, a family or a column of it, or all rows with a prefix; with a timestamp only what is not "
     "newer.\n\n"
     "  deleteall 't1', 'r1'\n"
     "  deleteall 't1', 'r1', 'f1:a'\n"
     "  deleteall 't1', 'r1', 'f1:a', 1700000000000\n"
     "  deleteall 't1', {ROWPREFIXFILTER => 'r'}",
     shell_deleteall},
    {"incr", "dml",
     "Add to a column of 8 bytes, and print the sum.\n\n  incr 't1', 'r1', 'f1:n'\n  incr 't1', 'r1', "
     "'f1:n', 10",
     shell_incr},
    {"append", "dml", "Append to a value, and print the new one.\n\n  append 't1', 'r1', 'f1:a', ' and more'",
     shell_append},
    {"get_counter", "dml", "Print a column of 8 bytes as a number.\n\n  get_counter 't1', 'r1', 'f1:n'",
     shell_get_counter},
    {"truncate", "dml",
     "Remove all rows of a table. Families, attributes and splits stay.\n\n  truncate 't1'", shell_truncate},
    {"truncate_preserve", "dml", "The same as truncate: splits stay.\n\n  truncate_preserve 't1'",
     shell_truncate},

    {"flush", "tools", "Write the memory of a table to files.\n\n  flush 't1'", shell_flush},
    {"compact", "tools",
     "Merge files of a table now, as the background does by itself: three or more of similar size.\n\n"
     "  compact 't1'",
     shell_compact},
    {"major_compact", "tools",
     "Make one file of all files of each region and family, without what no read can see.\n\n  major_compact "
     "'t1'",
     shell_major_compact},

    {"split", "tools",
     "Begin new regions of a table at these rows.\n\n  split 't1', 'm'\n  split 't1', 'g', 'n', 't'",
     shell_split},

    {"list_namespace", "namespace", "List the namespaces that have tables, and default.\n\n  list_namespace",
     shell_list_namespace},
    {"create_namespace", "namespace", "Not needed: a namespace is made with its first table.",
     shell_not_needed},

    {"snapshot", "snapshots",
     "Give a table at this moment a name. Files are linked, not copied.\n\n  snapshot 't1', 'monday'",
     shell_snapshot},
    {"clone_snapshot", "snapshots",
     "Make a table of a snapshot.\n\n  clone_snapshot 'monday', 't2'\n  clone_snapshot 'monday', 'ns:t2'",
     shell_clone_snapshot},
    {"list_snapshots", "snapshots",
     "List the snapshots, or those whose name is a match of a regular expression.\n\n  list_snapshots\n"
     "  list_snapshots 'mon.*'",
     shell_list_snapshots},
    {"delete_snapshot", "snapshots",
     "Remove a snapshot, and files that nothing else needs.\n\n  delete_snapshot 'monday'",
     shell_delete_snapshot},
};

}  // namespace

std::span<const ShellCommand> shell_commands() {
  return kShellCommands;
}

const ShellCommand* shell_command(std::string_view name) {
  const auto* const found = std::ranges::find(kShellCommands, name, &ShellCommand::name);
  return found == std::end(kShellCommands) ? nullptr : found;
}

Result<int> run_command(ShellSession& session, const ShellStatement& statement) {
  ShellText& text = session.text();
  const std::span<const ShellCommand> commands = shell_commands();
  const auto* const command = shell_command(statement.command);
  if (command == nullptr) {
    std::vector<std::string> names;
    std::ranges::transform(commands, std::back_inserter(names),
                           [](const auto& each) { return std::string(each.name); });
    return Error::invalid_argument(
        printable_text(statement.command),
        "expected a command, found another word" +
            did_you_mean(std::string_view(statement.command).substr(0, 40), names) + "; `help` lists them");
  }
  if (statement.is_explained && !command->is_explainable) {
    return Error::invalid_argument(
        "explain", fmt::format("expected get, scan or count after it, found {}", command->name));
  }
  if (text.is_terminal()) {
    text.set_columns(help_width());
  }
  Result<int> status = command->run(session, statement);
  const Status flushed = text.flush();
  return status && !flushed ? Result<int>(flushed.error()) : status;
}

Status check_argument_count(const ShellStatement& statement, ArgumentCount count) {
  const std::size_t found = statement.arguments.size();
  if (found >= count.least && found <= count.most) {
    return {};
  }
  const std::string expected = count.least == count.most
                                   ? show_count_of(count.least, "argument")
                                   : fmt::format("{} to {} arguments", count.least, count.most);
  return Error::invalid_argument(
      statement.command,
      fmt::format("expected {}, found {}; help '{}' has examples", expected, found, statement.command));
}

Result<std::string> table_argument(const ShellStatement& statement, ArgumentCount count) {
  BLOOMERY_RETURN_IF_ERROR(check_argument_count(statement, count));
  return text_argument("table", statement.arguments[0]);
}

}  // namespace bloomery::cli
