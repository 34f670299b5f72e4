// bloomery shell: the commands of HBase's shell, on a root of a store or of HBase.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/file_memory_option.h"
#include "cli/help_formatter.h"
#include "cli/shell/shell_commands.h"
#include "cli/shell/shell_parser.h"
#include "cli/shell/shell_session.h"
#include "cli/shell/shell_terminal.h"
#include "cli/standard_streams.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"
#include "keys/input_files.h"

namespace bloomery::cli {
namespace {

constexpr const char* kShellDescription =
    R"(Type the commands of HBase's shell, or run a script of them: create, put, get, scan, count, alter, major_compact ...

  bloomery shell shop                                   # a root that `bloomery table create` made
  bloomery shell --create shop < tables.hbase           # a script; the root is made if there is none
  bloomery shell --read-only /hbase                     # a root of HBase, or one that another process has open
  bloomery shell shop -e "scan 'orders', {LIMIT => 10}"

Arguments are those of HBase: texts in quotes, numbers, lists, {NAME => value}. `help` lists the commands. `explain` before get,
scan or count shows which files it reads. A script stops at its first error, whose status is the exit status.)";

struct ShellOptionsGiven {
  ShellRoot root = {.path = "."};
  FileMemoryOption memory;
  std::string script;
  std::vector<std::string> commands;
  std::optional<std::string> history;
  bool is_read_only = false;
  bool creates = false;
  bool goes_on = false;
  bool prints_epoch = false;
  std::string version;
};

// Runs the statements of a script or of a terminal.
class ShellRun {
 public:
  ShellRun(ShellSession& session, bool goes_on) : session_(session), goes_on_(goes_on) {}

  int run_script(InputFiles& input);
  int run_terminal(ShellTerminal& terminal);

 private:
  // Returns false if the run ends.
  bool add_line(std::string_view line);
  bool add_lines(std::string_view text);  // the text of an -e may have several
  int execute(const ShellTokens& tokens);
  int refuse(const ShellSyntaxError& error) const;
  int refuse(const Error& error, std::uint64_t line) const;
  bool note(int status);

  ShellSession& session_;
  ShellLexer lexer_;
  bool goes_on_;
  std::string script_;  // its name; empty: typed
  int status_ = kDone;  // of the first error
};

// Errors of a script name its line. Somebody who types knows it.
int ShellRun::refuse(const Error& error, std::uint64_t line) const {
  return report(kShellVerb,
                script_.empty() ? error : error.in_file(fmt::format("{}: line {}", script_, line)));
}

int ShellRun::refuse(const ShellSyntaxError& error) const {
  say("bloomery {}: {}{}\n", kShellVerb, script_.empty() ? "" : printable_text(script_) + ": ",
      error.to_string());
  return kTrouble;
}

bool ShellRun::note(int status) {
  if (status != kDone && !script_.empty()) {
    status_ = status_ == kDone ? status : status_;
  }
  return !session_.has_ended() && status != kInterrupted && (status == kDone || script_.empty() || goes_on_);
}

int ShellRun::execute(const ShellTokens& tokens) {
  const auto parsed = parse_statement(tokens);
  if (const auto* const error = std::get_if<ShellSyntaxError>(&parsed)) {
    return refuse(*error);
  }
  const auto& statement = std::get<ShellStatement>(parsed);
  const auto start = std::chrono::steady_clock::now();
  const Result<int> status = run_command(session_, statement);
  const int ended = status ? *status : refuse(status.error(), statement.line);
  if (script_.empty() && !session_.has_ended()) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    fmt::print("Took {:.4f} seconds\n", took.count());
    (void)flush_standard_output();
  }
  return ended;
}

bool ShellRun::add_line(std::string_view line) {
  const auto error = lexer_.add_line(line);
  while (const auto tokens = lexer_.take_statement()) {
    if (!note(execute(*tokens))) {
      return false;
    }
  }
  return !error || note(refuse(*error));
}

bool ShellRun::add_lines(std::string_view text) {
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!add_line(text.substr(0, end))) {
      return false;
    }
    if (end == text.size()) {
      return true;
    }
    text.remove_prefix(end + 1);
  }
}

int ShellRun::run_script(InputFiles& input) {
  const std::atomic<bool>& stop = catch_stop_signals();
  LineBatch batch;
  for (;;) {
    const Result<bool> more = input.next(batch);
    script_ = input.current_name();
    if (stop) {
      return kInterrupted;
    }
    if (!more) {
      return status_ == kDone ? report(kShellVerb, more.error()) : status_;
    }
    if (!*more) {
      break;
    }
    for (const std::string_view line : batch.lines) {
      if (!add_lines(line)) {
        return status_;
      }
    }
  }
  if (lexer_.is_continued()) {
    note(refuse(lexer_.unfinished()));
  }
  return status_;
}

int ShellRun::run_terminal(ShellTerminal& terminal) {
  std::string line;
  for (;;) {
    if (forget_interrupt()) {
      return kInterrupted;
    }
    switch (terminal.read(lexer_.is_continued() ? "       .. " : "bloomery> ", line)) {
      case TypedEnd::kEnd:
        return kDone;
      case TypedEnd::kInterrupted:
        lexer_.clear();
        break;
      case TypedEnd::kLine:
        if (!add_line(line)) {
          lexer_.clear();  // Ctrl-C stops what follows in the line, too
        }
        if (session_.has_ended()) {
          return kDone;
        }
        break;
    }
  }
}

std::string usual_history_file() {
  const char* const home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): never set by us
  return home == nullptr ? "" : std::string(home) + "/.bloomery_history";
}

CompletedNames names_of(const ShellSession& session) {
  return {.tables = [&session] { return session.tables() ? *session.tables() : std::vector<std::string>(); },
          .families =
              [&session](const std::string& name) {
                std::vector<std::string> families;
                if (const auto table = session.table(name)) {
                  for (const FamilySchema& family : table->schema().families) {
                    families.push_back(family.name);
                  }
                }
                return families;
              }};
}

int run_in_session(const ShellOptionsGiven& options, ShellSession& session, bool is_typed) {
  ShellRun run(session, options.goes_on);
  if (is_typed) {
    fmt::print("bloomery shell on {}, {}; `help` lists the commands\n", printable_text(session.root()),
               session.store() == nullptr ? "for reading" : "for writing");
    (void)flush_standard_output();
    ShellTerminal terminal(options.history ? *options.history : usual_history_file(), names_of(session));
    return run.run_terminal(terminal);
  }
  InputShape shape('\n');
  shape.given = options.commands;
  InputFiles input(options.script.empty() ? std::vector<std::string>() : std::vector{options.script}, shape,
                   &catch_stop_signals());
  return run.run_script(input);
}

Result<int> shell(const ShellOptionsGiven& options) {
  ShellRoot root = options.root;
  root.access = options.is_read_only ? ShellRoot::Access::kRead : ShellRoot::Access::kWriteIfOurs;
  root.if_missing = options.creates ? ShellRoot::IfMissing::kCreate : ShellRoot::IfMissing::kRefuse;
  BLOOMERY_ASSIGN_OR_RETURN(root.memory, options.memory.parse());
  catch_stop_signals();
  const bool is_typed = options.script.empty() && options.commands.empty() && ::isatty(STDIN_FILENO) == 1;
  const std::size_t columns = ::isatty(STDOUT_FILENO) == 1 ? help_width() : 0;
  BLOOMERY_ASSIGN_OR_RETURN(
      ShellSession session,
      ShellSession::open(root, {.columns = columns, .prints_epoch = options.prints_epoch}, options.version));
  const int status = run_in_session(options, session, is_typed);
  if (const Status closed = session.close(); !closed && status == kDone) {
    return closed.error();
  }
  return status;
}

}  // namespace

void add_shell_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("shell", kShellDescription);
  const auto options = std::make_shared<ShellOptionsGiven>();
  options->version = app.version();
  verb->add_option("ROOT", options->root.path, "the root directory (default: the current one)");
  verb->add_option("SCRIPT", options->script, "a file of commands, or - for standard input");
  verb->add_option("-e,--command", options->commands, "a line of commands; may be repeated")
      ->type_name("LINE")
      ->allow_extra_args(false);
  verb->add_flag("--read-only", options->is_read_only,
                 "read without a lock: also what another process has open");
  verb->add_flag("--create", options->creates, "make the root if it does not exist or is empty");
  verb->add_flag("--go-on", options->goes_on, "go on after an error of a script");
  verb->add_flag("--epoch", options->prints_epoch,
                 "print timestamps in milliseconds, as HBase with hbase.shell.timestamp.format.epoch");
  verb->add_option("--history", options->history,
                   "the file of typed lines (default: ~/.bloomery_history); '' keeps none")
      ->type_name("FILE");
  options->memory.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = shell(*options);
    exit_status = status ? *status : report(kShellVerb, status.error());
  });
}

}  // namespace bloomery::cli
