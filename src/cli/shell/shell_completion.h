// What the Tab key completes in a line of the shell: commands, tables, families, and words such as VERSIONS.
//
//   cr                      commands
//   get 't                  tables, in the first text
//   get 't1', 'r', 'f       families of that table, in later ones: 'f:
//   scan 't1', {LIM         words: LIMIT =>
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::cli {

struct ShellCompletion {
  std::size_t begin = 0;                // of what is completed
  std::vector<std::string> words = {};  // in order; each begins with what was typed from `begin` on
  std::string_view end = {};            // follows if there is one word
};

struct CompletedNames {
  std::function<std::vector<std::string>()> tables;
  std::function<std::vector<std::string>(const std::string& table)> families;
};

// `line` is what precedes the cursor.
ShellCompletion complete_line(std::string_view line, const CompletedNames& names);

}  // namespace bloomery::cli
