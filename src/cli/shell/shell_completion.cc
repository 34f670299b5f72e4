#include "cli/shell/shell_completion.h"

#include <algorithm>
#include <cctype>

#include "cli/shell/shell_commands.h"
#include "cli/shell/shell_words.h"

namespace bloomery::cli {
namespace {

// What precedes the cursor in its statement.
struct TypedLine {
  std::size_t word = 0;       // where the last word begins, or the text that is open
  std::size_t statement = 0;  // where the statement begins
  char quote = 0;             // of the text that is open
  std::vector<std::string> texts = {};
};

bool is_name_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

TypedLine typed_line(std::string_view line) {
  TypedLine typed;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (typed.quote != 0 && c == '\\') {
      ++i;
    } else if (typed.quote != 0 && c == typed.quote) {
      typed.texts.emplace_back(line.substr(typed.word, i - typed.word));
      typed.quote = 0;
      typed.word = i + 1;
    } else if (typed.quote == 0 && (c == '\'' || c == '"')) {
      typed.quote = c;
      typed.word = i + 1;
    } else if (typed.quote == 0 && c == ';') {
      typed = {.word = i + 1, .statement = i + 1};
    } else if (typed.quote == 0 && !is_name_byte(c)) {
      typed.word = i + 1;
    }
  }
  typed.word = std::min(typed.word, line.size());
  return typed;
}

std::string_view first_word(std::string_view statement) {
  statement.remove_prefix(std::min(statement.find_first_not_of(" \t"), statement.size()));
  const auto end = std::ranges::find_if_not(statement, is_name_byte);
  return statement.substr(0, static_cast<std::size_t>(end - statement.begin()));
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names = {"explain"};
  for (const ShellCommand& command : shell_commands()) {
    names.emplace_back(command.name);
  }
  return names;
}

ShellCompletion complete_text(std::string_view line, const TypedLine& typed, const CompletedNames& names) {
  ShellCompletion completion{.begin = typed.word, .end = typed.quote == '"' ? "\"" : "'"};
  if (typed.texts.empty()) {
    completion.words = names.tables();
    return completion;
  }
  std::string_view before = line.substr(0, typed.word - 1);
  before.remove_suffix(before.size() - (before.find_last_not_of(" \t") + 1));
  const bool is_name =
      before.ends_with("=>") && before.substr(0, before.find_last_not_of(" \t=>") + 1).ends_with("NAME");
  completion.words = names.families(typed.texts.front());
  if (!is_name) {
    std::ranges::for_each(completion.words, [](std::string& family) { family += ':'; });
    completion.end = "";
  }
  return completion;
}

ShellCompletion all_words(std::string_view line, const CompletedNames& names) {
  const TypedLine typed = typed_line(line);
  const std::string_view statement = line.substr(typed.statement);
  const std::string_view first = first_word(statement);
  if (typed.quote != 0 && first != "help") {
    return complete_text(line, typed, names);
  }
  const std::string_view before = line.substr(typed.statement, typed.word - typed.statement);
  if (is_blank(before) || first == "help" ||
      (first == "explain" && is_blank(before.substr(before.find("explain") + 7)))) {
    return {.begin = typed.word, .words = command_names(), .end = first == "help" ? "" : " "};
  }
  const auto constants = shell_constants();
  return {.begin = typed.word, .words = {constants.begin(), constants.end()}, .end = " => "};
}

}  // namespace

ShellCompletion complete_line(std::string_view line, const CompletedNames& names) {
  ShellCompletion completion = all_words(line, names);
  const std::string_view typed = line.substr(completion.begin);
  std::erase_if(completion.words, [&](const std::string& word) { return !word.starts_with(typed); });
  std::ranges::sort(completion.words);
  return completion;
}

}  // namespace bloomery::cli
