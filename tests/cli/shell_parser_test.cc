// The language of the shell: which lines are which statements, and where a line is refused.
#include "cli/shell/shell_parser.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/byte_text.h"
#include "cli/shell/shell_arguments.h"
#include "cli/shell/shell_completion.h"
#include "cli/shell/shell_request.h"
#include "cli/shell/shell_schema.h"
#include "cli/shell/shell_text.h"

namespace bloomery::cli {
namespace {

std::string shown(const ShellValue& value) {
  std::string text;
  if (const auto* const list = value.get_if<ShellList>()) {
    for (const ShellValue& each : *list) {
      text += (text.empty() ? "" : " ") + shown(each);
    }
    return "[" + text + "]";
  }
  if (const auto* const hash = value.get_if<ShellHash>()) {
    for (const auto& [name, each] : *hash) {
      text += (text.empty() ? "" : " ") + name + "=" + shown(each);
    }
    return "{" + text + "}";
  }
  if (const auto* const bytes = value.get_if<std::string>()) {
    return "'" + escape_bytes(*bytes) + "'";
  }
  return value.is_nil() ? "nil" : text_of(value);
}

std::string shown(const ShellTokens& tokens) {
  const auto parsed = parse_statement(tokens);
  if (const auto* const error = std::get_if<ShellSyntaxError>(&parsed)) {
    return error->to_string() + "\n";
  }
  const auto& statement = std::get<ShellStatement>(parsed);
  std::string text = (statement.is_explained ? "explain " : "") + statement.command;
  for (const ShellValue& argument : statement.arguments) {
    text += " " + shown(argument);
  }
  return text + "\n";
}

// The statements of lines, one a line, or what is wrong with them.
std::string parsed(const std::string& text) {
  ShellLexer lexer;
  std::string shown_text;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto error = lexer.add_line(std::string_view(text).substr(begin, end - begin));
    while (const auto tokens = lexer.take_statement()) {
      shown_text += shown(*tokens);
    }
    shown_text += error ? error->to_string() + "\n" : "";
    begin = end + 1;
  }
  return shown_text + (lexer.is_continued() ? lexer.unfinished().to_string() + "\n" : "");
}

TEST(ShellParsing, WhatPeopleTypeIntoHBase) {
  EXPECT_EQ(parsed("get 't1', 'r1'"), "get 't1' 'r1'\n");
  EXPECT_EQ(parsed("get('t1','r1')"), "get 't1' 'r1'\n");
  EXPECT_EQ(parsed("list"), "list\n");
  EXPECT_EQ(parsed("list()"), "list\n");
  EXPECT_EQ(parsed("help get"), "help 'get'\n");
  EXPECT_EQ(parsed("explain scan 't'"), "explain scan 't'\n");
  EXPECT_EQ(parsed("get 't1', 'r1', {COLUMN => ['f:a', 'f:b'], VERSIONS => 3, TIMERANGE => [1, 2]}"),
            "get 't1' 'r1' {COLUMN=['f:a' 'f:b'] VERSIONS=3 TIMERANGE=[1 2]}\n");
  EXPECT_EQ(parsed("create 't1', {NAME => 'f1', VERSIONS => 5}, 'f2', SPLITS => ['a','b']"),
            "create 't1' {NAME='f1' VERSIONS=5} 'f2' {SPLITS=['a' 'b']}\n");
  EXPECT_EQ(parsed("alter 't', 'delete' => 'f'"), "alter 't' {delete='f'}\n");
  EXPECT_EQ(parsed("scan 't', {ENDROW => 'b', STARTKEY => 'a'}"), "scan 't' {STOPROW='b' STARTROW='a'}\n");
  EXPECT_EQ(parsed("create 't', {NAME => 'f', BLOOMFILTER => NONE, TTL => FOREVER}"),
            "create 't' {NAME='f' BLOOMFILTER='NONE' TTL='FOREVER'}\n");
  EXPECT_EQ(parsed("put 't', 'r', 'f:q', nil, true, false"), "put 't' 'r' 'f:q' nil true false\n");
  EXPECT_EQ(parsed("scan 't', {}, [], [1,], {LIMIT => 1,}"), "scan 't' {} [] [1] {LIMIT=1}\n");
}

TEST(ShellParsing, ALineGoesOnWhileItIsNotFinished) {
  EXPECT_EQ(parsed("get 't',\n 'r'  # the row\n\n# nothing\nlist"), "get 't' 'r'\nlist\n");
  EXPECT_EQ(parsed("scan 't', {LIMIT =>\n  # ten\n  10\n}"), "scan 't' {LIMIT=10}\n");
  EXPECT_EQ(parsed("put 't', 'a\nb', \"c\nd\""), "put 't' 'a\\x0ab' 'c\\x0ad'\n");
  EXPECT_EQ(parsed("get \\\n't', 'r'\r\nlist\r"), "get 't' 'r'\nlist\n");
  EXPECT_EQ(parsed(";list; ; exists 't';"), "list\nexists 't'\n");
  EXPECT_EQ(parsed("get 't', '# ; not'; list # ; no"), "get 't' '#\\x20;\\x20not'\nlist\n");
}

TEST(ShellParsing, TextsHaveRubysEscapes) {
  EXPECT_EQ(parsed(R"(put '\x00\n\'\\', "\x00\x7\n\t\r\e\s\0\101\"\'\q\\")"),
            R"(put '\x5cx00\x5cn'\x5c' '\x00\x07\x0a\x09\x0d\x1b\x20\x00A"'q\x5c')"
            "\n");
  EXPECT_EQ(parsed(R"(put "\u00e9\u{e9}\u{1F600 41}")"), R"(put '\xc3\xa9\xc3\xa9\xf0\x9f\x98\x80A')"
                                                         "\n");
  EXPECT_EQ(parsed("put \"a\\\nb\""), "put 'ab'\n") << "a backslash before the line's end joins them";
  EXPECT_EQ(parsed("put '#{a}', \"#a\""), "put '#{a}' '#a'\n");
}

TEST(ShellParsing, NumbersAreRubys) {
  EXPECT_EQ(parsed("put 0, -12, 1_000_000, 0x1F, -0x10"), "put 0 -12 1000000 31 -16\n");
  EXPECT_EQ(parsed("put 9223372036854775807, -9223372036854775808"),
            "put 9223372036854775807 -9223372036854775808\n");
  EXPECT_EQ(parsed("put 1.50, 1e3, 1e16, 1e-5, -2.5e-3, 0.0"),
            "put 1.5 1000.0 1.0e+16 1.0e-05 -0.0025 0.0\n");
}

TEST(ShellParsing, ARefusalSaysWhere) {
  struct Refusal {
    std::string text;
    std::string says;
  };
  const std::vector<Refusal> refusals = {
      {"get 't1', r1",
       "line 1, column 11: expected a text in quotes, found r1; Ruby's variables and methods are not "
       "supported\n"
       "  get 't1', r1\n            ^\n"},
      {"get 't1' 'r1'",
       "line 1, column 10: expected a comma or the end, found 'r1'\n  get 't1' 'r1'\n           ^\n"},
      {"get 't1', 'r1",
       "line 1, column 11: expected the end of this text, found none\n  get 't1', 'r1\n            ^\n"},
      {"list\nscan 't1', {LIMIT => 1",
       "list\nline 2, column 12: expected } for this bracket, found none\n  scan 't1', {LIMIT => 1\n"
       "             ^\n"},
      {"get 't1',",
       "line 1, column 10: expected the rest of the statement, found the end\n  get 't1',\n"
       "           ^\n"},
      {"scan 't1', {LIMIT = 1}",
       "line 1, column 19: Ruby's variables and assignments are not supported\n"
       "  scan 't1', {LIMIT = 1}\n                    ^\n"},
      {"scan 't1', {LIMITS => 1}",
       "line 1, column 13: expected a word of this shell such as VERSIONS, found LIMITS; did you mean "
       "LIMIT?\n"
       "  scan 't1', {LIMITS => 1}\n              ^\n"},
      {"scan 't1', {LIMIT 1}",
       "line 1, column 19: expected => after LIMIT, found 1\n  scan 't1', {LIMIT 1}\n                    "
       "^\n"},
      {"scan 't1', {LIMIT => 1 RAW => true}",
       "line 1, column 24: expected a comma or }, found RAW\n  scan 't1', {LIMIT => 1 RAW => true}\n"
       "                         ^\n"},
      {"scan 't', {LIMIT => 1, LIMIT => 2}",
       "line 1, column 24: expected each name once, found LIMIT twice\n"
       "  scan 't', {LIMIT => 1, LIMIT => 2}\n                         ^\n"},
      {"scan 't', [1 2]",
       "line 1, column 14: expected a comma or ], found 2\n  scan 't', [1 2]\n               ^\n"},
      {"scan 't', [1)", "line 1, column 13: expected ], found )\n  scan 't', [1)\n              ^\n"},
      {"scan 't')",
       "line 1, column 9: expected an open bracket before this ), found none\n  scan 't')\n"
       "          ^\n"},
      {"scan('t';",
       "line 1, column 9: expected ) before a semicolon, found none\n  scan('t';\n          ^\n"},
      {"get 't', SPLITS => 1, 'r'",
       "line 1, column 26: expected => after 'r', found the end\n  get 't', SPLITS => 1, 'r'\n"
       "                           ^\n"},
      {"'t'.scan", "line 1, column 4: Ruby's method calls are not supported\n  't'.scan\n     ^\n"},
      {"t = 1", "line 1, column 3: Ruby's variables and assignments are not supported\n  t = 1\n    ^\n"},
      {"if true", "line 1, column 1: Ruby's if is not supported\n  if true\n  ^\n"},
      {"list { |t| drop t }",
       "line 1, column 8: Ruby's blocks are not supported\n  list { |t| drop t }\n"
       "         ^\n"},
      {"put $a", "line 1, column 5: Ruby's variables are not supported\n  put $a\n      ^\n"},
      {"put :a", "line 1, column 5: Ruby's symbols and scopes are not supported\n  put :a\n      ^\n"},
      {"put 1 + 2", "line 1, column 7: Ruby's operators are not supported\n  put 1 + 2\n        ^\n"},
      {"put \"#{x}\"",
       "line 1, column 6: Ruby's #{...} in a text is not supported; single quotes keep it as it is\n"
       "  put \"#{x}\"\n       ^\n"},
      {"put \"\\xzz\"",
       "line 1, column 6: expected one or two hexadecimal digits after \\x\n"
       "  put \"\\xzz\"\n       ^\n"},
      {"put \"\\ud800\"",
       "line 1, column 6: expected four hexadecimal digits after \\u, or code points in braces\n"
       "  put \"\\ud800\"\n       ^\n"},
      {"put 12ab",
       "line 1, column 5: expected a number from -2^63 to 2^63 - 1 or a fraction, found 12ab\n"
       "  put 12ab\n      ^\n"},
      {"put 9223372036854775808",
       "line 1, column 5: expected a number from -2^63 to 2^63 - 1 or a fraction, found 9223372036854775808\n"
       "  put 9223372036854775808\n      ^\n"},
      {"'get'", "line 1, column 1: expected a command such as get, found 'get'\n  'get'\n  ^\n"},
      {"explain", "line 1, column 8: expected a command such as get, found the end\n  explain\n         ^\n"},
      {"\xc3\xa9",
       "line 1, column 1: expected a text in quotes, a number or a word, found \\xc3\n"
       "  \xc3\xa9\n  ^\n"},
      {"put '\xc3\xa9', x",
       "line 1, column 11: expected a text in quotes, found x; Ruby's variables and methods are not "
       "supported\n"
       "  put '\xc3\xa9', x\n           ^\n"},
  };
  for (const Refusal& refusal : refusals) {
    EXPECT_EQ(parsed(refusal.text), refusal.says) << refusal.text;
  }
  EXPECT_EQ(parsed("list; get 't' =\nexists 't'"),
            "list\nline 1, column 15: Ruby's variables and assignments are not supported\n"
            "  list; get 't' =\n                ^\nexists 't'\n")
      << "statements before the refusal are complete, and the next line begins a new one";
  EXPECT_TRUE(
      parsed("put " + std::string(40, '[')).starts_with("line 1, column 37: expected at most 32 open"));
  EXPECT_LT(parsed("put " + std::string(100'000, ' ') + "x").size(), 400u) << "a long line is not printed";
}

// The time is linear: a line of many statements is not copied for each of them.
TEST(ShellParsing, ManyStatementsInALine) {
  std::string line;
  for (int i = 0; i < 100'000; ++i) {
    line += "list;";
  }
  EXPECT_EQ(parsed(line).size(), 500'000u);
}

std::vector<ShellValue> arguments_of(const std::string& line) {
  ShellLexer lexer;
  EXPECT_FALSE(lexer.add_line(line));
  const auto statement = std::get<ShellStatement>(parse_statement(*lexer.take_statement()));
  return {statement.arguments.begin() + 1, statement.arguments.end()};
}

std::string refusal_of(const std::string& line) {
  const auto arguments = arguments_of(line);
  const auto scan = parse_scan(arguments);
  const auto get = parse_get(arguments);
  return line.starts_with("scan") ? (scan ? "" : scan.error().to_string())
         : get                    ? ""
                                  : get.error().to_string();
}

TEST(ShellRequests, AGetHasHBasesDefaults) {
  const auto get = parse_get(arguments_of("get 't', 12, 'f:a', ['g', 'h:']"));
  ASSERT_TRUE(get);
  EXPECT_EQ(get->request.row, "12");
  ASSERT_EQ(get->request.columns.size(), 3u);
  EXPECT_EQ(get->request.columns[0].qualifier, "a");
  EXPECT_EQ(get->request.columns[1].qualifier, std::nullopt);
  EXPECT_EQ(get->request.columns[2].qualifier, std::nullopt) << "'h:' is all of the family h";
  EXPECT_EQ(get->request.versions, 1);
  const auto timed =
      parse_get(arguments_of("get 't', 'r', {COLUMN => 'f:a:b:toLong', VERSIONS => 3, TIMESTAMP => 5}"));
  ASSERT_TRUE(timed);
  EXPECT_EQ(timed->request.columns[0].qualifier, "a:b");
  EXPECT_EQ(timed->look.converters.size(), 1u);
  EXPECT_EQ(timed->request.times, (RequestedTimes{.from = 5, .to = 6}));
}

TEST(ShellRequests, AScanHasHBasesDefaults) {
  const auto scan = parse_scan(arguments_of(
      "scan 't', {STARTROW => 'a', ENDROW => 'b', LIMIT => 2, REVERSED => true, RAW => false, BATCH => 7, "
      "CACHE => 100, TIMERANGE => [1, 9], FILTER => \"PrefixFilter('a')\"}"));
  ASSERT_TRUE(scan);
  EXPECT_EQ(scan->request.start + scan->request.stop, "ab");
  EXPECT_EQ(scan->request.limit, 2u);
  EXPECT_EQ(scan->request.batch, 7u);
  EXPECT_TRUE(scan->request.is_reversed && !scan->request.is_raw && scan->request.filter);
  EXPECT_EQ(scan->request.times, (RequestedTimes{.from = 1, .to = 9}));
  EXPECT_EQ(parse_scan(arguments_of("scan 't', {LIMIT => 0}"))->request.limit, std::nullopt);
}

TEST(ShellRequests, WrongArgumentsAreNamed) {
  EXPECT_EQ(refusal_of("scan 't', {NAME => 'f'}").substr(0, 25), "scan: expected STARTROW, ");
  EXPECT_EQ(refusal_of("scan 't', {VERSIONS => '3'}"),
            "VERSIONS: expected a whole number, found '3' (invalid argument)");
  EXPECT_EQ(refusal_of("scan 't', {VERSIONS => 0}"),
            "VERSIONS: expected 1 to 2147483647, found 0 (invalid argument)");
  EXPECT_EQ(refusal_of("scan 't', {TIMESTAMP => -1}"),
            "TIMESTAMP: expected milliseconds since 1970, at least 0, found '-1' (invalid argument)");
  EXPECT_EQ(refusal_of("scan 't', {TIMERANGE => 3}"),
            "TIMERANGE: expected [FROM, TO] in milliseconds, found something else (invalid argument)");
  EXPECT_EQ(refusal_of("scan 't', {RAW => 1}"), "RAW: expected true or false, found '1' (invalid argument)");
  EXPECT_EQ(refusal_of("scan 't', {STARTROW => ['a']}"),
            "STARTROW: expected a text, found a list (invalid argument)");
  EXPECT_EQ(refusal_of("scan 't', {STARTROW => 'a', ROWPREFIXFILTER => 'b'}"),
            "ROWPREFIXFILTER: expected no STARTROW and no STOPROW with it, found one (invalid argument)");
  EXPECT_EQ(refusal_of("scan 't', 'f'"),
            "scan: expected one hash after the table, found a text (invalid argument)");
  EXPECT_EQ(refusal_of("get 't'"), "get: expected a table and a row, found no row (invalid argument)");
  EXPECT_EQ(refusal_of("get 't', 'r', {LIMIT => 1}").substr(0, 20), "get: expected COLUMN");
  EXPECT_TRUE(refusal_of("get 't', 'r', {FILTER => 'x'}").starts_with("FILTER: "))
      << refusal_of("get 't', 'r', {FILTER => 'x'}");
}

TEST(ShellTexts, BytesAndTimesLookAsInHBase) {
  EXPECT_EQ(string_binary(std::string_view("a b\\\x00\xff~\x7f", 8)), "a b\\x5C\\x00\\xFF~\\x7F");
  ASSERT_EQ(::setenv("TZ", "UTC", 1), 0);
  ::tzset();
  EXPECT_EQ(local_time(0), "1970-01-01T00:00");
  EXPECT_EQ(local_time(5), "1970-01-01T00:00:00.005");
  EXPECT_EQ(local_time(1'700'000'000'000), "2023-11-14T22:13:20");
  EXPECT_EQ(local_time(1'700'000'000'120), "2023-11-14T22:13:20.120");
  EXPECT_EQ(local_time(-1), "1969-12-31T23:59:59.999");
  EXPECT_EQ(local_time(kLatestTimestamp), "9223372036854775807");
}

TEST(ShellCompletes, CommandsTablesFamiliesAndWords) {
  const CompletedNames names{
      .tables =
          [] {
            return std::vector<std::string>{"users", "orders"};
          },
      .families =
          [](const std::string& table) {
            return table == "users" ? std::vector<std::string>{"f", "g"} : std::vector<std::string>();
          }};
  const auto completed = [&](const std::string& line) {
    const ShellCompletion completion = complete_line(line, names);
    std::string text = std::to_string(completion.begin);
    for (const std::string& word : completion.words) {
      text += " " + word;
    }
    return text + "|" + std::string(completion.end);
  };
  EXPECT_EQ(completed("cr"), "0 create create_namespace| ");
  EXPECT_EQ(completed("list; maj"), "6 major_compact| ");
  EXPECT_EQ(completed("explain sc"), "8 scan| ");
  EXPECT_EQ(completed("help trun"), "5 truncate truncate_preserve|");
  EXPECT_EQ(completed("get 'us"), "5 users|'");
  EXPECT_EQ(completed("get('"), "5 orders users|'");
  EXPECT_EQ(completed("get \"o"), "5 orders|\"");
  EXPECT_EQ(completed("get 'users', 'r', '"), "19 f: g:|");
  EXPECT_EQ(completed("alter 'users', NAME => 'g"), "24 g|'");
  EXPECT_EQ(completed("scan 'users', {LIM"), "15 LIMIT| => ");
  EXPECT_EQ(completed("get 'none', 'r', '"), "18|");
}

}  // namespace
}  // namespace bloomery::cli
