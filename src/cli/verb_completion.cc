// bloomery completion: prints a script that completes verbs and options in a shell.
//
// The script has what the parser has, so it is as new as the command. Words that are neither a verb nor an
// option are completed as files.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cli/exit_status.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kCompletionDescription =
    R"(Print a script that completes verbs and options in a shell.

  source <(bloomery completion bash)                                     # in ~/.bashrc
  bloomery completion zsh > ~/.zfunc/_bloomery                           # a folder of $fpath
  bloomery completion fish > ~/.config/fish/completions/bloomery.fish)";

// A word that a shell offers.
struct OfferedWord {
  std::string word;
  std::string help;  // its first line
  bool has_value = false;
};

// A verb, and what may follow it.
struct CompletedVerb {
  std::string path;  // "table scan"; empty for the command itself
  std::vector<OfferedWord> verbs;
  std::vector<OfferedWord> options;
};

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

void add_completed_verb(const CLI::App& app, const std::string& path, std::vector<CompletedVerb>& found) {
  CompletedVerb verb{.path = path, .verbs = {}, .options = {}};
  const auto verbs = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* const each : verbs) {
    verb.verbs.push_back({.word = each->get_name(), .help = first_line(each->get_description())});
  }
  for (const CLI::Option* const option : app.get_options()) {
    const auto add = [&](const std::string& word) {
      verb.options.push_back({.word = word,
                              .help = first_line(option->get_description()),
                              .has_value = option->get_items_expected_max() > 0});
    };
    for (const std::string& name : option->get_lnames()) {
      add("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      add("-" + name);
    }
  }
  found.push_back(std::move(verb));
  for (const CLI::App* const each : verbs) {
    add_completed_verb(*each, path.empty() ? each->get_name() : path + " " + each->get_name(), found);
  }
}

std::string words_of(const std::vector<OfferedWord>& offered) {
  std::string words;
  for (const OfferedWord& each : offered) {
    words += (words.empty() ? "" : " ") + each.word;
  }
  return words;
}

// The verbs that a case statement of a shell looks for, as patterns: ' table'|' table scan'.
std::string paths_of(const std::vector<CompletedVerb>& verbs) {
  std::string paths;
  for (const CompletedVerb& verb : verbs) {
    if (!verb.path.empty()) {
      paths += fmt::format("{}' {}'", paths.empty() ? "" : "|", verb.path);
    }
  }
  return paths;
}

void print_bash(const std::vector<CompletedVerb>& verbs) {
  fmt::print(
      "# Completes bloomery in bash: source <(bloomery completion bash)\n_bloomery() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} verb= verbs= options= i\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case \"$verb ${{COMP_WORDS[i]}}\" in\n      {}) verb+=\" ${{COMP_WORDS[i]}}\" ;;\n    esac\n  "
      "done\n"
      "  case $verb in\n",
      paths_of(verbs));
  for (const CompletedVerb& verb : verbs) {
    fmt::print("    '{}{}') verbs='{}' options='{}' ;;\n", verb.path.empty() ? "" : " ", verb.path,
               words_of(verb.verbs), words_of(verb.options));
  }
  fmt::print(
      "  esac\n  COMPREPLY=()\n"
      "  if [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  elif [[ $verbs ]]; then\n    COMPREPLY=($(compgen -W \"$verbs\" -- \"$word\"))\n  fi\n}}\n"
      "complete -o default -o bashdefault -F _bloomery bloomery\n");
}

// Returns the text between single quotes of zsh's _describe, which separates a word from its help by a colon.
std::string zsh_entry(const OfferedWord& offered) {
  std::string entry = offered.word + ":";
  for (const char letter : offered.help) {
    entry += letter == '\'' ? std::string("'\\''") : std::string(letter == ':' ? "\\:" : "") + letter;
  }
  return "'" + entry + "'";
}

void print_zsh(const std::vector<CompletedVerb>& verbs) {
  fmt::print(
      "#compdef bloomery\n# Completes bloomery in zsh: bloomery completion zsh > _bloomery, in a folder of "
      "$fpath\n_bloomery() {{\n  local verb= i\n  local -a verbs options\n"
      "  for ((i = 2; i < CURRENT; ++i)); do\n    case \"$verb $words[i]\" in\n"
      "      {}) verb+=\" $words[i]\" ;;\n    esac\n  done\n  case $verb in\n",
      paths_of(verbs));
  for (const CompletedVerb& verb : verbs) {
    fmt::print("    '{}{}')\n      verbs=(", verb.path.empty() ? "" : " ", verb.path);
    for (const OfferedWord& each : verb.verbs) {
      fmt::print("\n        {}", zsh_entry(each));
    }
    fmt::print(")\n      options=(");
    for (const OfferedWord& each : verb.options) {
      fmt::print("\n        {}", zsh_entry(each));
    }
    fmt::print(") ;;\n");
  }
  fmt::print(
      "  esac\n  if [[ $PREFIX == -* ]]; then\n    _describe -o option options\n"
      "  elif (( $#verbs )); then\n    _describe verb verbs\n  else\n    _files\n  fi\n}}\n"
      "if [[ $funcstack[1] == _bloomery ]]; then\n  _bloomery\nelse\n  compdef _bloomery bloomery\nfi\n");
}

std::string fish_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char letter : text) {
    quoted += letter == '\'' || letter == '\\' ? std::string("\\") + letter : std::string(1, letter);
  }
  return quoted + "'";
}

void print_fish(const std::vector<CompletedVerb>& verbs) {
  fmt::print(
      "# Completes bloomery in fish: bloomery completion fish > ~/.config/fish/completions/bloomery.fish\n"
      "function __bloomery_verb\n  set -l verb\n  for word in (commandline -opc)[2..]\n"
      "    switch (string join ' ' $verb $word)\n      case");
  for (const CompletedVerb& verb : verbs) {
    if (!verb.path.empty()) {
      fmt::print(" {}", fish_quoted(verb.path));
    }
  }
  fmt::print("\n        set -a verb $word\n    end\n  end\n  test \"$verb\" = \"$argv\"\nend\n");
  for (const CompletedVerb& verb : verbs) {
    const std::string start = fmt::format("complete -c bloomery -n '__bloomery_verb {}'", verb.path);
    for (const OfferedWord& each : verb.verbs) {
      fmt::print("{} -f -a {} -d {}\n", start, each.word, fish_quoted(each.help));
    }
    for (const OfferedWord& each : verb.options) {
      const bool is_long = each.word.starts_with("--");
      fmt::print("{} {} {}{} -d {}\n", start, is_long ? "-l" : "-s", each.word.substr(is_long ? 2 : 1),
                 each.has_value ? " -r" : "", fish_quoted(each.help));
    }
  }
}

}  // namespace

void add_completion_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("completion", kCompletionDescription);
  const auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  verb->callback([&app, &exit_status, shell] {
    std::vector<CompletedVerb> verbs;
    add_completed_verb(app, "", verbs);
    const auto print = *shell == "bash" ? print_bash : *shell == "zsh" ? print_zsh : print_fish;
    print(verbs);
    exit_status = kDone;
  });
}

}  // namespace bloomery::cli
