// The commands of the shell, with HBase's names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "cli/shell/shell_session.h"
#include "cli/shell/shell_value.h"

namespace bloomery::cli {

struct ShellCommand {
  std::string_view name;
  std::string_view group;  // of the overview
  std::string_view help;   // lines, with examples
  Result<int> (*run)(ShellSession& session, const ShellStatement& statement);
  bool is_explainable = false;
};

// All commands, group by group.
std::span<const ShellCommand> shell_commands();
// Returns null if there is none.
const ShellCommand* shell_command(std::string_view name);

// Runs a command. Returns its exit status: kDone, or kInterrupted. What it printed is written.
Result<int> run_command(ShellSession& session, const ShellStatement& statement);

// The commands, by the file that has them.
Result<int> shell_get(ShellSession& session, const ShellStatement& statement);  // shell_reads.cc
Result<int> shell_scan(ShellSession& session, const ShellStatement& statement);
Result<int> shell_count(ShellSession& session, const ShellStatement& statement);
Result<int> shell_get_counter(ShellSession& session, const ShellStatement& statement);

Result<int> shell_put(ShellSession& session, const ShellStatement& statement);  // shell_writes.cc
Result<int> shell_delete(ShellSession& session, const ShellStatement& statement);
Result<int> shell_deleteall(ShellSession& session, const ShellStatement& statement);
Result<int> shell_incr(ShellSession& session, const ShellStatement& statement);
Result<int> shell_append(ShellSession& session, const ShellStatement& statement);

Result<int> shell_create(ShellSession& session, const ShellStatement& statement);  // shell_tables.cc
Result<int> shell_alter(ShellSession& session, const ShellStatement& statement);
Result<int> shell_describe(ShellSession& session, const ShellStatement& statement);
Result<int> shell_list(ShellSession& session, const ShellStatement& statement);
Result<int> shell_exists(ShellSession& session, const ShellStatement& statement);
Result<int> shell_drop(ShellSession& session, const ShellStatement& statement);
Result<int> shell_truncate(ShellSession& session, const ShellStatement& statement);
Result<int> shell_flush(ShellSession& session, const ShellStatement& statement);
Result<int> shell_compact(ShellSession& session, const ShellStatement& statement);
Result<int> shell_major_compact(ShellSession& session, const ShellStatement& statement);
Result<int> shell_split(ShellSession& session, const ShellStatement& statement);
Result<int> shell_snapshot(ShellSession& session, const ShellStatement& statement);
Result<int> shell_clone_snapshot(ShellSession& session, const ShellStatement& statement);
Result<int> shell_delete_snapshot(ShellSession& session, const ShellStatement& statement);
Result<int> shell_list_snapshots(ShellSession& session, const ShellStatement& statement);
Result<int> shell_list_namespace(ShellSession& session, const ShellStatement& statement);
// Commands of HBase that are not needed here. They say so on stderr.
Result<int> shell_not_needed(ShellSession& session, const ShellStatement& statement);

// Returns the table's name, the first of `least` to `most` arguments. Errors: kInvalidArgument.
struct ArgumentCount {
  std::size_t least = 1;
  std::size_t most = 1;
};
Status check_argument_count(const ShellStatement& statement, ArgumentCount count);
Result<std::string> table_argument(const ShellStatement& statement, ArgumentCount count);

}  // namespace bloomery::cli
