// The command: bloomery VERB [options] [FILE...]. It writes data to stdout and everything else to stderr.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <sys/resource.h>
#include <system_error>

#include "base/byte_text.h"
#include "bloomery/base/cut_files.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/help_formatter.h"
#include "cli/standard_streams.h"
#include "cli/stop_signal.h"
#include "cli/suggestion.h"
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
3 a damaged file, 4 refused under --strict, 5 a file of a version or form that is not read here.
`bloomery help VERB` tells more, `bloomery help --all VERB` all.)";

// Sets the help formats: a verb with verbs of its own lists these, as the application does; other verbs list
// their options.
void set_formatters(CLI::App& app) {
  for (CLI::App* const verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_subcommands([](const CLI::App*) { return true; }).empty()) {
      verb->formatter(std::make_shared<HelpFormatter>(help_width()));
    }
    set_formatters(*verb);
  }
}

using Words = std::span<char* const>;

// Returns the first word that looks like an option but is none of the verb's, without "=VALUE".
std::string unknown_option(const CLI::App& verb, Words words) {
  for (const std::string word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name == "--") {
      break;
    }
    if (name.size() > 2 && name.front() == '-' && verb.get_option_no_throw(name) == nullptr) {
      return name;
    }
  }
  return "";
}

// Returns the long names of a verb's options ("--output").
std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

// If the error may come from an unknown option, returns the known option that was probably meant.
std::string option_meant(const CLI::App& verb, const CLI::ParseError& error, Words words) {
  const int code = error.get_exit_code();
  const bool is_missing = code == static_cast<int>(CLI::ExitCodes::RequiredError);
  if (!is_missing && code != static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    return "";
  }
  const std::string option = unknown_option(verb, words);
  const std::string meant = did_you_mean(option, option_names(verb));
  return is_missing && !meant.empty() ? fmt::format("; found {}{}", option, meant) : meant;
}

// Prints an error in the arguments, with the verb and the probable intention. If a word is no verb, prints
// the list of verbs; if there are no words, prints the help. `path` names the command and the verbs so far,
// `words` are the words after them.
int refuse(const CLI::App& app, const CLI::ParseError& error, const std::string& path, Words words) {
  std::string verbs;
  std::vector<std::string> names = option_names(app);
  const std::string first = words.empty() ? "" : words.front();
  for (const CLI::App* const verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->check_name(first)) {
      return refuse(*verb, error, fmt::format("{} {}", path, first), words.subspan(1));
    }
    verbs += " " + verb->get_name();
    names.push_back(verb->get_name());
    std::ranges::copy(verb->get_aliases(), std::back_inserter(names));
  }
  if (verbs.empty()) {
    say("{}: {}{}\n`{} --help` tells more.\n", path, error.what(), option_meant(app, error, words), path);
  } else if (words.empty()) {
    say("{}", app.help(path.substr(0, path.rfind(' ') == std::string::npos ? 0 : path.rfind(' '))));
  } else {
    say("{}: expected a verb, one of{}; found '{}'{}\n", path, verbs, first, did_you_mean(first, names));
  }
  return kTrouble;
}

// Turns `help VERB...` into `VERB... --help`, and `help` alone into `--help`; with --all, --help becomes
// --help-all. A word that is no verb is kept, so that it is reported as unknown.
std::vector<char*> without_help_verb(const CLI::App& app, Words words) {
  static char help[] = "--help";  // not const, because CLI11 accepts words as main() receives them
  static char help_all[] = "--help-all";
  std::vector<char*> result(words.begin(), words.end());
  if (words.size() < 2 || std::string_view(words[1]) != "help") {
    return result;
  }
  result.erase(result.begin() + 1);
  const bool all = std::erase_if(result, [](std::string_view word) { return word == "--all"; }) != 0;
  const CLI::App* at = &app;
  for (std::size_t i = 1; i < result.size(); ++i) {
    const auto verbs = at->get_subcommands([](const CLI::App*) { return true; });
    if (verbs.empty()) {  // drops the words after a verb, so that they are not run
      result.resize(i);
      break;
    }
    const auto found =
        std::ranges::find_if(verbs, [&](const CLI::App* verb) { return verb->check_name(result[i]); });
    if (found == verbs.end()) {
      return result;
    }
    at = *found;
  }
  result.push_back(all ? help_all : help);
  return result;
}

struct Verb {
  std::string_view name;
  void (*add)(CLI::App& app, int& exit_status);
};

// The verbs, in the order of the help text.
constexpr Verb kVerbs[] = {
    {"estimate", add_estimate_verb}, {"build", add_build_verb},   {"add", add_add_verb},
    {"remove", add_remove_verb},     {"query", add_query_verb},   {"dedup", add_dedup_verb},
    {"except", add_except_verb},     {"report", add_report_verb}, {"merge", add_merge_verb},
    {"inspect", add_inspect_verb},   {"verify", add_verify_verb}, {"repair", add_repair_verb},
    {"fpp", add_fpp_verb},           {"copy", add_copy_verb},     {"hfile", add_hfile_verb},
    {"table", add_table_verb},       {"shell", add_shell_verb},   {"wal", add_wal_verb},
    {"feed", add_feed_verb},         {"mirror", add_mirror_verb}, {"completion", add_completion_verb}};

// Adds the verb that the first word names, or all verbs. Adding all takes longer than many verbs run, because
// they have hundreds of options.
void add_verbs(CLI::App& app, Words words, int& exit_status) {
  const std::string_view first = words.size() > 1 ? words[1] : "";
  const auto* const named = std::ranges::find(kVerbs, first, &Verb::name);
  if (named != std::end(kVerbs) && named->add != add_completion_verb) {
    named->add(app, exit_status);
  } else if (first != "--version" && first != "-V") {
    std::ranges::for_each(kVerbs, [&](const Verb& verb) { verb.add(app, exit_status); });
  }
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "bloomery");
  app.footer(kFooter);
  app.formatter(std::make_shared<OverviewFormatter>(help_width()));
  app.set_help_all_flag("--help-all", "Print the help with all options, and exit");
  app.set_version_flag("-V,--version", "bloomery " BLOOMERY_VERSION);
  app.require_subcommand(1);
  int exit_status = kDone;
  set_given_words(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  add_verbs(app, Words(argv, static_cast<std::size_t>(argc)), exit_status);
  set_formatters(app);
  const std::vector<char*> words = without_help_verb(app, std::span(argv, static_cast<std::size_t>(argc)));
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {  // CLI11 reports errors by exceptions, which end here
    return error.get_exit_code() == 0
               ? app.exit(error)
               : refuse(app, error, "bloomery", Words(words).subspan(std::min<std::size_t>(words.size(), 1)));
  }
  return exit_status == kInterrupted ? 128 + stop_signal() : exit_status;
}

// Raises the limit of open descriptors to the allowed maximum. Each mapped file keeps one, and a database may
// have thousands of tables.
void allow_all_descriptors() {
  rlimit most{};
  if (::getrlimit(RLIMIT_NOFILE, &most) == 0) {
    most.rlim_cur = most.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &most);
  }
}

// Returns the arguments as one text, cut after about 400 bytes. It is printed when memory is exhausted.
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

// Flushes stdout. Returns the exit status, which becomes kTrouble if the output was lost.
int after_output(int exit_status) {
  if (flush_standard_output()) {
    return exit_status;
  }
  if (errno != EPIPE) {  // EPIPE: the reader of our output has ended, so no message is needed
    say("bloomery: standard output: cannot write: {}\n", std::generic_category().message(errno));
  }
  return exit_status == kDone || exit_status == kNothing ? kTrouble : exit_status;
}

}  // namespace
}  // namespace bloomery::cli

int main(int argc, char** argv) {
  bloomery::cli::hold_standard_streams();
  // Without this, a write beyond the limit of file sizes (ulimit -f) would end the process. Now it fails with
  // EFBIG, and the unfinished file is removed.
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
