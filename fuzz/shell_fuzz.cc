// Lines of anything as a session of the shell: never a crash, no statement that was not typed, and every error
// is at a place in the lines. What is a get, a scan, a create or an alter is also made a request or a schema.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <variant>

#include "cli/shell/shell_parser.h"
#include "cli/shell/shell_request.h"
#include "cli/shell/shell_schema.h"

namespace {

using namespace bloomery;
using namespace bloomery::cli;

void check_place(const ShellSyntaxError& error, std::uint64_t lines) {
  if (error.place.line < 1 || error.place.line > lines || error.place.column < 1 ||
      error.place.column > error.line.size() + 1 || error.to_string().empty()) {
    std::abort();
  }
}

// create would read the file.
bool names_file(const ShellValue& value) {
  const auto* const list = value.get_if<ShellList>();
  const auto* const hash = value.get_if<ShellHash>();
  return (list != nullptr && std::ranges::any_of(*list, names_file)) ||
         (hash != nullptr &&
          std::ranges::any_of(*hash, [](const auto& pair) { return pair.first == "SPLITS_FILE"; }));
}

void use(const ShellStatement& statement) {
  if (statement.command.empty()) {
    std::abort();
  }
  if (statement.arguments.empty()) {
    return;
  }
  const auto arguments = std::span(statement.arguments);
  (void)parse_get(arguments.subspan(1));
  (void)parse_scan(arguments.subspan(1));
  (void)parse_shell_count(arguments.subspan(1));
  if (std::ranges::any_of(arguments, names_file)) {
    return;
  }
  if (const auto create = parse_create(arguments)) {
    TableSchema schema = create->schema;
    (void)apply_alter(arguments.subspan(1), schema);
    (void)describe_attributes(schema);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ShellLexer lexer;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto error = lexer.add_line(text.substr(begin, end - begin));
    if (error) {
      check_place(*error, lexer.lines());
    }
    while (const auto tokens = lexer.take_statement()) {
      const auto parsed = parse_statement(*tokens);
      if (const auto* const refusal = std::get_if<ShellSyntaxError>(&parsed)) {
        check_place(*refusal, lexer.lines());
      } else {
        use(std::get<ShellStatement>(parsed));
      }
    }
    begin = end + 1;
  }
  if (lexer.is_continued()) {
    check_place(lexer.unfinished(), lexer.lines());
  }
  return 0;
}
