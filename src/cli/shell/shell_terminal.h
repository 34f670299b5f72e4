// Reads the lines that somebody types into a terminal. With libedit there are editing, history and
// completion; without it, lines are read as they come.
//
// Ctrl-C clears the line; Ctrl-D in an empty line ends the input.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/shell/shell_completion.h"

namespace bloomery::cli {

enum class TypedEnd { kLine, kInterrupted, kEnd };

class ShellTerminal {
 public:
  // The history is read from the file, and written to it at the end; with an empty name it is not kept.
  // Precondition: catch_stop_signals() was called.
  ShellTerminal(std::string history_file, CompletedNames names);
  ShellTerminal(const ShellTerminal&) = delete;
  ShellTerminal& operator=(const ShellTerminal&) = delete;
  ~ShellTerminal();

  // Reads a line, without its end.
  TypedEnd read(const std::string& prompt, std::string& line);

 private:
  struct Editor;
  std::unique_ptr<Editor> editor_;
};

}  // namespace bloomery::cli
