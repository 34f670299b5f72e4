// A value of the shell's language: the literals of Ruby that people type into HBase's shell.
//
//   nil   true   -12   1.5   'text'   ['a', 1]   {NAME => 'f', VERSIONS => 3}
//
// A constant (VERSIONS) is the text of its name. Keys of a hash are texts, in the order in which they were
// typed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bloomery::cli {

struct ShellValue;
using ShellList = std::vector<ShellValue>;
using ShellHash = std::vector<std::pair<std::string, ShellValue>>;

struct ShellValue {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, ShellList, ShellHash> content = {};

  template <typename Kind>
  const Kind* get_if() const {
    return std::get_if<Kind>(&content);
  }
  bool is_nil() const { return get_if<std::monostate>() != nullptr; }
};

// Returns the bytes of a text, number or truth value, as Ruby's to_s. Precondition: it is no list and no
// hash.
std::string text_of(const ShellValue& value);

// Returns "a text", "a number", "a list": for messages.
std::string_view kind_of(const ShellValue& value);

// A command with its arguments. A hash without braces at the end is the last argument.
struct ShellStatement {
  std::string command = {};
  std::vector<ShellValue> arguments = {};
  bool is_explained = false;  // "explain" precedes the command
  std::uint64_t line = 0;     // of the command, counted from one
};

}  // namespace bloomery::cli
