// Splits the lines of a shell session into statements of tokens. Lines come one by one, so that a line which
// is not finished can be continued.
//
//   Calls: (add_line | take_statement)*
//
// A statement ends at a line's end or at a semicolon. A line is continued if a bracket or a quote is open in
// it, or if it ends in a comma, => or a backslash. A # outside of quotes begins a comment.
//
//   'text'    \\ and \' are escapes
//   "text"    Ruby's escapes: \n \t \r \e \s \0 \x00 \u00e9 \u{e9} \101 ...; not #{...}
//   12  -3  1_000  0x1f  1.5  2e3
//   word  CONSTANT  ( ) [ ] { } , =>
//
// Everything else of Ruby is refused by name: variables, blocks, operators, method calls. Time is linear in
// the bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::cli {

// A statement's limits, so that a file that is no script does not fill the memory.
inline constexpr std::size_t kMostStatementBytes = std::size_t{64} << 20;
inline constexpr std::size_t kDeepestNesting = 32;

// A place in the session's lines; both are counted from one, columns in bytes.
struct ShellPlace {
  std::uint64_t line = 1;
  std::size_t column = 1;
};

struct ShellToken {
  enum class Kind : std::uint8_t { kWord, kConstant, kText, kWhole, kFraction, kMark, kEnd };

  Kind kind = Kind::kEnd;
  ShellPlace place = {};
  std::string text = {};  // of a text the bytes that it means; else as it was typed
  std::int64_t whole = 0;
  double fraction = 0;

  bool is_mark(std::string_view mark) const { return kind == Kind::kMark && text == mark; }
};

struct ShellSyntaxError {
  ShellPlace place = {};
  std::string message = {};
  std::string line = {};  // the line of the place

  // Returns "line 3, column 12: MESSAGE", then the line, and a caret below the column.
  std::string to_string() const;
};

// The last token is kEnd.
struct ShellTokens {
  std::vector<ShellToken> tokens = {};
  std::vector<std::shared_ptr<const std::string>> lines = {};  // statements of one line share it
  std::uint64_t first_line = 1;

  ShellSyntaxError error_at(const ShellPlace& place, std::string message) const;
};

class ShellLexer {
 public:
  // Adds the next line, without its end. If it is not what the language has, everything since the last
  // statement is dropped, with the rest of the line.
  std::optional<ShellSyntaxError> add_line(std::string_view line);
  // Returns the next complete statement, in order. It has at least one token before kEnd.
  std::optional<ShellTokens> take_statement();

  // Returns true if the last line must be continued. At the end of the input this is an error.
  bool is_continued() const { return !current_.lines.empty(); }
  ShellSyntaxError unfinished() const;
  // Drops everything that was not taken, also complete statements of the last line.
  void clear();
  std::uint64_t lines() const { return line_; }

 private:
  using Kind = ShellToken::Kind;

  struct Refusal {
    std::size_t column = 0;
    std::string message = {};
  };
  using Checked = std::optional<Refusal>;

  Checked scan(std::string_view line);
  Checked scan_token(std::string_view line);
  Checked scan_text(std::string_view line);
  Checked scan_escape(std::string_view line);
  Checked scan_code_points(std::string_view line);
  Checked scan_number(std::string_view line);
  Checked scan_word(std::string_view line);
  Checked scan_mark(std::string_view line);
  void begin_statement();
  void end_statement();
  ShellToken& add(Kind kind, std::string_view text, std::size_t column);

  std::uint64_t line_ = 0;  // the number of the last line
  std::size_t at_ = 0;      // the next byte of it
  std::size_t bytes_ = 0;   // of the current statement
  ShellTokens current_;
  std::vector<ShellToken> open_;  // brackets
  char quote_ = 0;                // of the text that is open, or 0
  bool joins_ = false;            // a backslash ended the line
  std::vector<ShellTokens> done_;
  std::size_t taken_ = 0;
};

}  // namespace bloomery::cli
