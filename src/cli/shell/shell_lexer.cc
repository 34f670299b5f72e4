#include "cli/shell/shell_lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <system_error>

#include "base/byte_text.h"

namespace bloomery::cli {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_word_begin(char c) {
  return is_capital(c) || (c >= 'a' && c <= 'z') || c == '_';
}
bool is_word_byte(char c) {
  return is_word_begin(c) || is_digit(c);
}

// Returns the value of a hexadecimal digit, or 16.
unsigned hex_value(char c) {
  return is_digit(c)              ? static_cast<unsigned>(c - '0')
         : (c >= 'a' && c <= 'f') ? static_cast<unsigned>(c - 'a') + 10
         : (c >= 'A' && c <= 'F') ? static_cast<unsigned>(c - 'A') + 10
                                  : 16;
}

// Returns the end of at most `most` digits of a base, from `at` on.
std::size_t end_of_digits(std::string_view line, std::size_t at, unsigned base, std::size_t most) {
  const std::size_t begin = at;
  while (at < line.size() && at - begin < most && hex_value(line[at]) < base) {
    ++at;
  }
  return at;
}

unsigned number_in(std::string_view digits, int base) {
  unsigned number = 0;
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return number;
}

void append_utf8(std::string& out, unsigned code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

// The letters of a text in double quotes that stand for one byte.
constexpr std::string_view kEscapeLetters = "abefnrstv";
constexpr std::string_view kEscapeBytes = "\a\b\x1b\f\n\r \t\v";

// What Ruby has and the shell does not, by the byte that begins it.
std::string_view refused_ruby(char c) {
  switch (c) {
    case '=':
      return "Ruby's variables and assignments are not supported";
    case '.':
      return "Ruby's method calls are not supported";
    case ':':
      return "Ruby's symbols and scopes are not supported";
    case '$':
    case '@':
      return "Ruby's variables are not supported";
    case '|':
      return "Ruby's blocks are not supported";
    case '`':
      return "Ruby's commands of the system are not supported";
    default:
      return "Ruby's operators are not supported";
  }
}

char opposite(std::string_view bracket) {
  return bracket == "(" ? ')' : bracket == "[" ? ']' : '}';
}

constexpr std::size_t kShownBytes = 100;  // of a long line

}  // namespace

std::string ShellSyntaxError::to_string() const {
  const std::size_t column = std::min(place.column - 1, line.size());
  const std::size_t begin = column > kShownBytes / 2 ? column - kShownBytes / 2 : 0;
  const std::string before = printable_text(std::string_view(line).substr(begin, column - begin));
  const std::string after = printable_text(std::string_view(line).substr(column, kShownBytes));
  // A character of several bytes has one column of the terminal.
  const auto columns = std::ranges::count_if(before, [](char c) { return (c & 0xc0) != 0x80; });
  return fmt::format("line {}, column {}: {}\n  {}{}\n  {}^", place.line, place.column, message, before,
                     after, std::string(static_cast<std::size_t>(columns), ' '));
}

ShellSyntaxError ShellTokens::error_at(const ShellPlace& place, std::string message) const {
  const std::uint64_t index = place.line - first_line;
  return {.place = place,
          .message = std::move(message),
          .line = index < lines.size() ? *lines[static_cast<std::size_t>(index)] : std::string()};
}

ShellToken& ShellLexer::add(Kind kind, std::string_view text, std::size_t column) {
  ShellToken& token = current_.tokens.emplace_back();
  token.kind = kind;
  token.place = {.line = line_, .column = column + 1};
  token.text = text;
  return token;
}

void ShellLexer::clear() {
  begin_statement();
  done_.clear();
  taken_ = 0;
}

void ShellLexer::begin_statement() {
  current_ = {};
  open_.clear();
  quote_ = 0;
  joins_ = false;
  bytes_ = 0;
}

void ShellLexer::end_statement() {
  if (!current_.tokens.empty()) {
    add(Kind::kEnd, "", at_);
    done_.push_back(std::move(current_));
  }
  begin_statement();
}

std::optional<ShellTokens> ShellLexer::take_statement() {
  if (taken_ == done_.size()) {
    done_.clear();
    taken_ = 0;
    return std::nullopt;
  }
  return std::move(done_[taken_++]);
}

ShellSyntaxError ShellLexer::unfinished() const {
  if (quote_ != 0) {
    return current_.error_at(current_.tokens.back().place, "expected the end of this text, found none");
  }
  if (!open_.empty()) {
    return current_.error_at(open_.back().place, fmt::format("expected {} for this bracket, found none",
                                                             opposite(open_.back().text)));
  }
  return current_.error_at({.line = line_, .column = current_.lines.back()->size() + 1},
                           "expected the rest of the statement, found the end");
}

std::optional<ShellSyntaxError> ShellLexer::add_line(std::string_view line) {
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  ++line_;
  if (current_.lines.empty()) {
    current_.first_line = line_;
  }
  bytes_ += line.size();
  current_.lines.push_back(std::make_shared<const std::string>(line));
  at_ = 0;
  joins_ = false;
  Checked refusal = bytes_ > kMostStatementBytes
                        ? Refusal{0, fmt::format("expected a statement of at most {} bytes, found more",
                                                 kMostStatementBytes)}
                        : scan(line);
  if (refusal) {
    ShellSyntaxError error =
        current_.error_at({.line = line_, .column = refusal->column + 1}, std::move(refusal->message));
    begin_statement();
    return error;
  }
  if (quote_ != 0 && !joins_) {
    current_.tokens.back().text += '\n';
  }
  const bool awaits = !current_.tokens.empty() &&
                      (current_.tokens.back().is_mark(",") || current_.tokens.back().is_mark("=>"));
  if (quote_ == 0 && open_.empty() && !joins_ && !awaits) {
    end_statement();
  }
  return std::nullopt;
}

ShellLexer::Checked ShellLexer::scan(std::string_view line) {
  while (at_ < line.size()) {
    if (Checked refusal = quote_ != 0 ? scan_text(line) : scan_token(line)) {
      return refusal;
    }
  }
  return std::nullopt;
}

ShellLexer::Checked ShellLexer::scan_token(std::string_view line) {
  const char c = line[at_];
  const char next = at_ + 1 < line.size() ? line[at_ + 1] : '\0';
  if (c == ' ' || c == '\t') {
    ++at_;
    return std::nullopt;
  }
  if (c == '#') {
    at_ = line.size();
    return std::nullopt;
  }
  if (c == '\\' && at_ + 1 == line.size()) {
    ++at_;
    joins_ = true;
    return std::nullopt;
  }
  if (c == '\'' || c == '"') {
    quote_ = c;
    add(Kind::kText, "", at_++);
    return std::nullopt;
  }
  if (is_digit(c) || (c == '-' && is_digit(next))) {
    return scan_number(line);
  }
  return is_word_begin(c) ? scan_word(line) : scan_mark(line);
}

ShellLexer::Checked ShellLexer::scan_text(std::string_view line) {
  std::string& text = current_.tokens.back().text;
  const char c = line[at_];
  if (c == quote_) {
    quote_ = 0;
    ++at_;
    return std::nullopt;
  }
  if (c == '\\') {
    return scan_escape(line);
  }
  if (c == '#' && quote_ == '"' && at_ + 1 < line.size() && line[at_ + 1] == '{') {
    return Refusal{at_, "Ruby's #{...} in a text is not supported; single quotes keep it as it is"};
  }
  text += c;
  ++at_;
  return std::nullopt;
}

ShellLexer::Checked ShellLexer::scan_escape(std::string_view line) {
  std::string& text = current_.tokens.back().text;
  if (at_ + 1 == line.size()) {  // before the line's end
    text += quote_ == '\'' ? "\\" : "";
    joins_ = quote_ == '"';
    ++at_;
    return std::nullopt;
  }
  const char c = line[at_ + 1];
  if (quote_ == '\'') {
    text += c == '\'' || c == '\\' ? "" : "\\";
    text += c;
    at_ += 2;
    return std::nullopt;
  }
  if (c == 'u') {
    return scan_code_points(line);
  }
  if (c == 'x' || (c >= '0' && c <= '7')) {
    const unsigned base = c == 'x' ? 16 : 8;
    const std::size_t begin = at_ + (c == 'x' ? 2 : 1);
    const std::size_t end = end_of_digits(line, begin, base, c == 'x' ? 2 : 3);
    if (end == begin) {
      return Refusal{at_, "expected one or two hexadecimal digits after \\x"};
    }
    text += static_cast<char>(number_in(line.substr(begin, end - begin), static_cast<int>(base)));
    at_ = end;
    return std::nullopt;
  }
  if (c == 'c' || c == 'C' || c == 'M') {
    return Refusal{at_, "Ruby's escapes of control keys are not supported; \\xHH is a byte"};
  }
  const std::size_t letter = kEscapeLetters.find(c);
  text += letter == std::string_view::npos ? c : kEscapeBytes[letter];
  at_ += 2;
  return std::nullopt;
}

// \u00e9, \u{e9} or \u{e9 e8}
ShellLexer::Checked ShellLexer::scan_code_points(std::string_view line) {
  const Refusal refusal{at_, "expected four hexadecimal digits after \\u, or code points in braces"};
  std::string& text = current_.tokens.back().text;
  std::size_t at = at_ + 2;
  const bool has_braces = at < line.size() && line[at] == '{';
  at += has_braces ? 1 : 0;
  do {
    while (has_braces && at < line.size() && line[at] == ' ') {
      ++at;
    }
    const std::size_t end = end_of_digits(line, at, 16, has_braces ? 6 : 4);
    const unsigned code = number_in(line.substr(at, end - at), 16);
    if (end == at || (!has_braces && end - at < 4) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      return refusal;
    }
    append_utf8(text, code);
    at = end;
  } while (has_braces && at < line.size() && line[at] == ' ');
  if (has_braces && (at == line.size() || line[at] != '}')) {
    return refusal;
  }
  at_ = at + (has_braces ? 1 : 0);
  return std::nullopt;
}

ShellLexer::Checked ShellLexer::scan_number(std::string_view line) {
  std::size_t end = at_ + 1;
  while (end < line.size() &&
         (is_word_byte(line[end]) || (line[end] == '.' && end + 1 < line.size() && is_digit(line[end + 1])) ||
          ((line[end] == '-' || line[end] == '+') && (line[end - 1] == 'e' || line[end - 1] == 'E')))) {
    ++end;
  }
  const std::string_view typed = line.substr(at_, end - at_);
  std::string digits(typed);
  std::erase(digits, '_');
  const bool is_negative = digits.starts_with('-');
  const std::string_view size = std::string_view(digits).substr(is_negative ? 1 : 0);
  const bool is_hex = size.starts_with("0x") || size.starts_with("0X");
  ShellToken& token = add(Kind::kWhole, typed, at_);
  const auto is_all = [&digits](const std::from_chars_result& read) {
    return read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  };
  if (is_hex) {
    digits = (is_negative ? "-" : "") + digits.substr(is_negative ? 3 : 2);
  }
  const char* const begin = digits.data();
  if (!is_all(std::from_chars(begin, begin + digits.size(), token.whole, is_hex ? 16 : 10))) {
    token.kind = Kind::kFraction;
    const bool has_fraction = !is_hex && digits.find_first_of(".eE") != std::string::npos;
    if (!has_fraction || !is_all(std::from_chars(begin, begin + digits.size(), token.fraction))) {
      return Refusal{at_, fmt::format("expected a number from -2^63 to 2^63 - 1 or a fraction, found {}",
                                      printable_text(typed.substr(0, 40)))};
    }
  }
  at_ = end;
  return std::nullopt;
}

ShellLexer::Checked ShellLexer::scan_word(std::string_view line) {
  std::size_t end = at_ + 1;
  while (end < line.size() && is_word_byte(line[end])) {
    ++end;
  }
  const Kind kind = is_capital(line[at_]) ? Kind::kConstant : Kind::kWord;
  add(kind, line.substr(at_, end - at_), at_);
  at_ = end;
  return std::nullopt;
}

ShellLexer::Checked ShellLexer::scan_mark(std::string_view line) {
  const char c = line[at_];
  const std::string_view mark = line.substr(at_, line.substr(at_, 2) == "=>" ? 2 : 1);
  if (c == ';') {
    if (!open_.empty()) {
      return Refusal{at_,
                     fmt::format("expected {} before a semicolon, found none", opposite(open_.back().text))};
    }
    const auto same_line = current_.lines.back();
    end_statement();
    current_.first_line = line_;
    current_.lines.push_back(same_line);
    ++at_;
    return std::nullopt;
  }
  if (mark == "=>" || c == ',') {
    add(Kind::kMark, mark, at_);
  } else if (c == '(' || c == '[' || c == '{') {
    if (open_.size() == kDeepestNesting) {
      return Refusal{at_, fmt::format("expected at most {} open brackets, found more", kDeepestNesting)};
    }
    open_.push_back(add(Kind::kMark, mark, at_));
  } else if (c == ')' || c == ']' || c == '}') {
    if (open_.empty() || opposite(open_.back().text) != c) {
      return Refusal{at_, open_.empty()
                              ? fmt::format("expected an open bracket before this {}, found none", c)
                              : fmt::format("expected {}, found {}", opposite(open_.back().text), c)};
    }
    open_.pop_back();
    add(Kind::kMark, mark, at_);
  } else if (std::string_view("=.:$@|`+-*/%<>!?&^~").find(c) != std::string_view::npos) {
    return Refusal{at_, std::string(refused_ruby(c))};
  } else {
    return Refusal{at_, fmt::format("expected a text in quotes, a number or a word, found {}",
                                    escape_bytes(std::string_view(&c, 1)))};
  }
  at_ += mark.size();
  return std::nullopt;
}

}  // namespace bloomery::cli
