#include "cli/shell/shell_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/byte_text.h"
#include "cli/shell/shell_words.h"
#include "cli/suggestion.h"

namespace bloomery::cli {
namespace {

using Kind = ShellToken::Kind;

constexpr std::array<std::string_view, 24> kRubyWords = {
    "begin", "break",  "case",   "class", "def",    "do",    "each",  "else",
    "end",   "ensure", "for",    "if",    "loop",   "next",  "puts",  "require",
    "print", "rescue", "return", "self",  "unless", "until", "while", "yield"};

std::string shown(const ShellToken& token) {
  switch (token.kind) {
    case Kind::kEnd:
      return "the end";
    case Kind::kText:
      return fmt::format("'{}'", printable_text(std::string_view(token.text).substr(0, 40)));
    default:
      return printable_text(std::string_view(token.text).substr(0, 40));
  }
}

// The first error ends the parse, and stays.
class StatementParser {
 public:
  explicit StatementParser(const ShellTokens& tokens) : tokens_(tokens) {}

  std::variant<ShellStatement, ShellSyntaxError> parse() {
    ShellStatement statement;
    if (next().kind == Kind::kWord && next().text == "explain") {
      statement.is_explained = true;
      ++at_;
    }
    if (next().kind != Kind::kWord) {
      refuse(next(), fmt::format("expected a command such as get, found {}", shown(next())));
    } else if (std::ranges::find(kRubyWords, next().text) != kRubyWords.end()) {
      refuse(next(), fmt::format("Ruby's {} is not supported", next().text));
    } else {
      statement.command = next().text;
      command_ = next().text;
      statement.line = next().place.line;
      ++at_;
      parse_arguments(statement.arguments);
    }
    if (error_) {
      return std::move(*error_);
    }
    return statement;
  }

 private:
  const ShellToken& next() const { return tokens_.tokens[at_]; }
  bool take(std::string_view mark) {
    const bool is_there = next().is_mark(mark);
    at_ += is_there ? 1 : 0;
    return is_there;
  }
  void refuse(const ShellToken& token, std::string message) {
    if (!error_) {
      error_ = tokens_.error_at(token.place, std::move(message));
    }
  }

  void parse_arguments(std::vector<ShellValue>& arguments) {
    const bool has_brackets = take("(");
    const bool is_empty = has_brackets ? take(")") : next().kind == Kind::kEnd;
    if (!is_empty) {
      parse_some_arguments(arguments);
      if (!error_ && has_brackets && !take(")")) {
        refuse(next(), fmt::format("expected a comma or ), found {}", shown(next())));
      }
    }
    if (!error_ && next().kind != Kind::kEnd) {
      refuse(next(), fmt::format("expected {} the end, found {}",
                                 has_brackets || arguments.empty() ? "" : "a comma or", shown(next())));
    }
  }

  void parse_some_arguments(std::vector<ShellValue>& arguments) {
    std::optional<ShellHash> pairs;
    do {
      const bool is_pair = tokens_.tokens[at_].kind != Kind::kEnd && tokens_.tokens[at_ + 1].is_mark("=>");
      if (is_pair || pairs) {
        pairs = pairs ? std::move(pairs) : ShellHash();
        parse_pair(*pairs);
      } else {
        arguments.push_back(parse_value());
      }
    } while (!error_ && take(","));
    if (pairs) {
      arguments.push_back({.content = std::move(*pairs)});
    }
  }

  void parse_pair(ShellHash& hash) {
    const ShellToken& key = next();
    if (key.kind != Kind::kText && key.kind != Kind::kConstant) {
      return refuse(key, fmt::format("expected a name such as VERSIONS, found {}", shown(key)));
    }
    ++at_;
    std::string name = key.kind == Kind::kText ? key.text : constant_of(key);
    if (!take("=>")) {
      return refuse(next(), fmt::format("expected => after {}, found {}", shown(key), shown(next())));
    }
    if (std::ranges::find(hash, name, &ShellHash::value_type::first) != hash.end()) {
      return refuse(key, fmt::format("expected each name once, found {} twice", shown(key)));
    }
    ShellValue value = parse_value();
    hash.emplace_back(std::move(name), std::move(value));
  }

  std::string constant_of(const ShellToken& token) {
    auto value = shell_constant(token.text);
    if (!value) {
      refuse(token, fmt::format("expected a word of this shell such as VERSIONS, found {}{}", shown(token),
                                did_you_mean(std::string_view(token.text).substr(0, 40), shell_constants())));
    }
    return value.value_or("");
  }

  ShellValue parse_value() {
    const ShellToken& token = next();
    switch (token.kind) {
      case Kind::kText:
        ++at_;
        return {.content = token.text};
      case Kind::kWhole:
        ++at_;
        return {.content = token.whole};
      case Kind::kFraction:
        ++at_;
        return {.content = token.fraction};
      case Kind::kConstant:
        ++at_;
        return {.content = constant_of(token)};
      case Kind::kWord:
        return parse_word();
      case Kind::kMark:
      case Kind::kEnd:
        break;
    }
    if (take("[")) {
      return parse_list();
    }
    if (take("{")) {
      return parse_hash();
    }
    refuse(token,
           fmt::format("expected a text in quotes, a number, a list or a hash, found {}", shown(token)));
    return {};
  }

  ShellValue parse_word() {
    const ShellToken& token = tokens_.tokens[at_++];
    if (token.text == "true" || token.text == "false") {
      return {.content = token.text == "true"};
    }
    if (command_ == "help") {
      return {.content = token.text};  // help get
    }
    if (token.text != "nil") {
      refuse(token, fmt::format("expected a text in quotes, found {}; Ruby's variables and methods are not "
                                "supported",
                                shown(token)));
    }
    return {};
  }

  ShellValue parse_list() {
    ShellList list;
    while (!error_ && !take("]")) {
      list.push_back(parse_value());
      if (!error_ && !next().is_mark("]") && !take(",")) {
        refuse(next(), fmt::format("expected a comma or ], found {}", shown(next())));
      }
    }
    return {.content = std::move(list)};
  }

  ShellValue parse_hash() {
    ShellHash hash;
    while (!error_ && !take("}")) {
      parse_pair(hash);
      if (!error_ && !next().is_mark("}") && !take(",")) {
        refuse(next(), fmt::format("expected a comma or }}, found {}", shown(next())));
      }
    }
    return {.content = std::move(hash)};
  }

  const ShellTokens& tokens_;
  std::size_t at_ = 0;
  std::string_view command_;
  std::optional<ShellSyntaxError> error_;
};

}  // namespace

std::variant<ShellStatement, ShellSyntaxError> parse_statement(const ShellTokens& tokens) {
  return StatementParser(tokens).parse();
}

}  // namespace bloomery::cli
