// The command line: bloomery VERB [options] [FILE...]. Data on stdout, all else on stderr.
#include <exception>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cli/exit_status.h"
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

// Says what is wrong with the arguments, and of which verb; for a word that is no verb, which ones there are.
int refuse(const CLI::App& app, const CLI::ParseError& error, const std::string& first) {
  std::string verbs;
  for (const CLI::App* const verb : app.get_subcommands({})) {
    if (verb->get_name() == first) {
      fmt::print(stderr, "bloomery {}: {}\n`bloomery {} --help` tells more.\n", first, error.what(), first);
      return kTrouble;
    }
    verbs += " " + verb->get_name();
  }
  fmt::print(stderr, "bloomery: expected a verb, one of{}; found '{}'\n", verbs, first);
  return kTrouble;
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "bloomery");
  app.footer(kFooter);
  app.formatter(std::make_shared<OverviewFormatter>());
  app.set_version_flag("--version", "bloomery " BLOOMERY_VERSION);
  app.require_subcommand(1);
  int exit_status = kDone;
  add_estimate_verb(app, exit_status);
  add_build_verb(app, exit_status);
  add_add_verb(app, exit_status);
  add_remove_verb(app, exit_status);
  add_query_verb(app, exit_status);
  add_except_verb(app, exit_status);
  add_report_verb(app, exit_status);
  add_merge_verb(app, exit_status);
  add_inspect_verb(app, exit_status);
  add_fpp_verb(app, exit_status);
  for (CLI::App* const verb : app.get_subcommands({})) {
    verb->formatter(std::make_shared<CLI::Formatter>());
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // CLI11 speaks in exceptions; they end here
    return error.get_exit_code() == 0 ? app.exit(error) : refuse(app, error, argc > 1 ? argv[1] : "");
  }
  return exit_status;
}

}  // namespace
}  // namespace bloomery::cli

int main(int argc, char** argv) {
  try {
    return bloomery::cli::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bloomery: {}\n", error.what());
    return bloomery::cli::kTrouble;
  }
}
