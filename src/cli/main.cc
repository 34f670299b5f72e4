// The command line: bloomery VERB [options] [FILE...]. Data on stdout, all else on stderr.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <sys/resource.h>
#include <system_error>

#include "base/byte_text.h"
#include "bloomery/base/cut_files.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/standard_streams.h"
#include "cli/verbs.h"

#ifndef BLOOMERY_VERSION
#error "the build names the version"
#endif

namespace bloomery::cli {
namespace {

constexpr const char* kDescription =
    R"(Can this key be in there? A no is certain, a maybe is wrong at the rate you chose.

  seq 1000000 > known.txt; bloomery build -o known.bloom -p 1e-4 known.txt
  seq 999990 1000010 | bloomery query known.bloom         # the lines that may be in
  seq 999990 1000010 | bloomery query -v known.bloom      # the lines that are certainly not)";

constexpr const char* kFooter =
    R"(Exit status: 0 done (query: a line was printed), 1 query printed nothing, 2 trouble,
3 a damaged file, 4 refused under --strict. `bloomery VERB --help` tells more.)";

// Lists each verb by the first line of its description; the pipelines below it are for the verb's own help.
class OverviewFormatter : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* verb) const override {
    const std::string description = verb->get_description();
    return fmt::format("  {:<10} {}\n", verb->get_name(), description.substr(0, description.find('\n')));
  }
};

// A verb that has verbs of its own lists them as the application does.
void set_formatters(CLI::App& app) {
  for (CLI::App* const verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_subcommands([](const CLI::App*) { return true; }).empty()) {
      verb->formatter(std::make_shared<CLI::Formatter>());
    }
    set_formatters(*verb);
  }
}

// Says what is wrong with the arguments, and of which verb; for a word that is no verb, which ones there are.
// `path` is the verb so far, `words` what was given behind it.
int refuse(const CLI::App& app, const CLI::ParseError& error, const std::string& path,
           std::span<char* const> words) {
  std::string verbs;
  const std::string first = words.empty() ? "" : words.front();
  for (const CLI::App* const verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->check_name(first)) {
      return refuse(*verb, error, fmt::format("{} {}", path, first), words.subspan(1));
    }
    verbs += " " + verb->get_name();
  }
  if (verbs.empty()) {
    say("{}: {}\n`{} --help` tells more.\n", path, error.what(), path);
  } else {
    say("{}: expected a verb, one of{}; found '{}'\n", path, verbs, first);
  }
  return kTrouble;
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "bloomery");
  app.footer(kFooter);
  app.formatter(std::make_shared<OverviewFormatter>());
  app.set_version_flag("--version", "bloomery " BLOOMERY_VERSION);
  app.require_subcommand(1);
  int exit_status = kDone;
  set_given_words(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  add_estimate_verb(app, exit_status);
  add_build_verb(app, exit_status);
  add_add_verb(app, exit_status);
  add_remove_verb(app, exit_status);
  add_query_verb(app, exit_status);
  add_dedup_verb(app, exit_status);
  add_except_verb(app, exit_status);
  add_report_verb(app, exit_status);
  add_merge_verb(app, exit_status);
  add_inspect_verb(app, exit_status);
  add_fpp_verb(app, exit_status);
  add_hfile_verb(app, exit_status);
  set_formatters(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // CLI11 speaks in exceptions; they end here
    return error.get_exit_code() == 0
               ? app.exit(error)
               : refuse(app, error, "bloomery", std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  }
  return exit_status;
}

// Each file that is mapped keeps a descriptor, and a database has thousands of tables.
void allow_all_descriptors() {
  rlimit most{};
  if (::getrlimit(RLIMIT_NOFILE, &most) == 0) {
    most.rlim_cur = most.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &most);
  }
}

// The verb, its options and files, as far as a line shows them: what was worked on when memory ended.
std::string shown_arguments(std::span<char* const> arguments) {
  constexpr std::size_t kMostShown = 400;
  std::string text;
  for (const char* const argument : arguments.subspan(std::min<std::size_t>(arguments.size(), 1))) {
    text += " " + escape_bytes(argument);
    if (text.size() > kMostShown) {
      return text.substr(0, kMostShown) + " ...";
    }
  }
  return text;
}

// Of what was printed by the way, which nobody has looked after.
int after_output(int exit_status) {
  if (flush_standard_output()) {
    return exit_status;
  }
  if (errno != EPIPE) {  // else whoever read us has heard enough
    say("bloomery: standard output: cannot write: {}\n", std::generic_category().message(errno));
  }
  return exit_status == kDone || exit_status == kNothing ? kTrouble : exit_status;
}

}  // namespace
}  // namespace bloomery::cli

int main(int argc, char** argv) {
  bloomery::cli::hold_standard_streams();
  // Beyond the limit on file sizes (ulimit -f) a write then fails with EFBIG, and what was begun is removed.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  bloomery::cli::allow_all_descriptors();
  bloomery::survive_cut_files();
  try {
    return bloomery::cli::after_output(bloomery::cli::run(argc, argv));
  } catch (const std::bad_alloc&) {
    bloomery::cli::say("bloomery: out of memory, at{}\n",
                       bloomery::cli::shown_arguments(std::span(argv, static_cast<std::size_t>(argc))));
    return bloomery::cli::kTrouble;
  } catch (const std::exception& error) {
    bloomery::cli::say("bloomery: {}\n", bloomery::printable_text(error.what()));
    return bloomery::cli::kTrouble;
  }
}
