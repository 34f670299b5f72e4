// Parses a statement of the shell from its tokens.
//
//   statement = [explain] WORD [arguments | "(" arguments ")"]
//   arguments = argument ("," argument)*
//   argument  = value | key "=>" value          the pairs come last, and are one hash
//   value     = text | number | true | false | nil | CONSTANT
//             | "[" [value ("," value)*] "]" | "{" [key "=>" value ("," ...)*] "}"
//   key       = text | CONSTANT
//
// A constant is one that HBase's shell has (shell_words.h).
#pragma once

#include <variant>

#include "cli/shell/shell_lexer.h"
#include "cli/shell/shell_value.h"

namespace bloomery::cli {

std::variant<ShellStatement, ShellSyntaxError> parse_statement(const ShellTokens& tokens);

}  // namespace bloomery::cli
