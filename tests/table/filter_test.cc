// Filters: the language, what it refuses, and patterns as Java means them.
#include "bloomery/table/filter.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/table/filter_language.h"
#include "bloomery/table/table.h"
#include "table/filter/filter_form.h"
#include "table/filter/fuzzy_row.h"
#include "table/filter/java_pattern.h"
#include "table/filter/row_ranges.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

TEST(FilterLanguage, EveryFilterIsReadAndWrittenBack) {
  const std::vector<std::string> texts = {
      "KeyOnlyFilter()",
      "KeyOnlyFilter(true)",
      "FirstKeyOnlyFilter()",
      "PrefixFilter('a''b')",
      "ColumnPrefixFilter('q')",
      "MultipleColumnPrefixFilter('a', 'b')",
      "ColumnCountGetFilter(4)",
      "PageFilter(2)",
      "ColumnPaginationFilter(3, 5)",
      "InclusiveStopFilter('row2')",
      "TimestampsFilter(5, 985925)",
      "RowFilter(<=, 'binary:xyz')",
      "FamilyFilter(=, 'binaryprefix:f')",
      "QualifierFilter(!=, 'substring:q')",
      "ValueFilter(=, 'regexstring:v[0-9]+')",
      "ColumnRangeFilter('abc', true, 'xyz', false)",
      "ColumnRangeFilter(null, true, 'xyz', false)",
      "SingleColumnValueFilter('f', 'q', >, 'binary:1', true, false)",
      "SingleColumnValueExcludeFilter('f', 'q', >=, 'binary:1', false, true)",
      "DependentColumnFilter('f', 'q', false)",
      "DependentColumnFilter('f', 'q', true, =, 'binary:x')",
      "ColumnValueFilter('f', 'q', <, 'binary:x')",
      "MultiRowRangeFilter('a', true, 'b', false)",
      "SKIP PageFilter(1)",
      "WHILE (PageFilter(1) OR PageFilter(2))",
      "PageFilter(1) AND PageFilter(2) AND PageFilter(3)",
      "(PageFilter(1) AND PageFilter(2)) OR PageFilter(3)",
  };
  for (const std::string& text : texts) {
    const auto filter = parse_filter(text);
    ASSERT_TRUE(filter) << text << ": " << filter.error().to_string();
    EXPECT_EQ(filter->to_string(), text);
  }
}

TEST(FilterLanguage, AndBindsBeforeOrAndWrappersBeforeBoth) {
  EXPECT_EQ(parse_filter("PageFilter(1) OR PageFilter(2) AND PageFilter(3)")->to_string(),
            "PageFilter(1) OR (PageFilter(2) AND PageFilter(3))");
  EXPECT_EQ(parse_filter("SKIP PageFilter(1) AND PageFilter(2)")->to_string(),
            "SKIP PageFilter(1) AND PageFilter(2)");
  EXPECT_EQ(parse_filter(" ( PrefixFilter ( 'a' ) ) ")->to_string(), "PrefixFilter('a')");
  EXPECT_EQ(parse_filter("FuzzyRowFilter('ab', '01')")->to_string(),
            std::string("FuzzyRowFilter('ab', '\0\1')", 26));
}

TEST(FilterLanguage, WhatDoesNotParseIsRefusedWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"", "at byte 0"},
      {"NoFilter('a')", "at byte 0: expected the name of a filter"},
      {"PrefixFilter('a'", "expected )"},
      {"PrefixFilter('a", "expected a quote"},
      {"PrefixFilter(a)", "PrefixFilter: expected bytes in quotes, found a"},
      {"PrefixFilter('a', 'b')", "expected 1 arguments, found 2"},
      {"PageFilter('1')", "expected a whole number"},
      {"PageFilter(-1)", "expected a whole number"},
      {"PageFilter(99999999999999999999)", "expected a whole number"},
      {"RowFilter(==, 'binary:a')", "expected one of"},
      {"RowFilter(=, 'a')", "expected a comparator"},
      {"RowFilter(<, 'substring:a')", "expected = or != with substring"},
      {"RowFilter(=, 'long:1')", "expected a comparator"},
      {"PrefixFilter('a') PrefixFilter('b')", "expected AND, OR or the end"},
      {"PrefixFilter('a') AND", "expected the name of a filter"},
      {"(PrefixFilter('a')", "expected )"},
      {"MultipleColumnPrefixFilter('a', 'a')", "one twice"},
      {"TimestampsFilter(-5)", "expected a whole number"},
      {"FuzzyRowFilter('ab', '0')", "expected a mask of 2 bytes"},
      {"MultiRowRangeFilter('b', true, 'a', true)", "expected ranges with rows"},
      {"ValueFilter(=, 'regexstring:(')", "regexstring"},
      {"ValueFilter(=, 'regexstring:(?i)a')", "(?i"},
      {"ValueFilter(=, 'substring:\xc3\xa4')", "substring comparator"},
      {std::string(1000, '('), "inside each other"},
  };
  for (const auto& [text, part] : texts) {
    const auto filter = parse_filter(text);
    ASSERT_FALSE(filter) << text;
    EXPECT_NE(filter.error().to_string().find(part), std::string::npos)
        << text << ": " << filter.error().to_string();
  }
}

bool is_found(const std::string& pattern, const std::string& text) {
  const auto compiled = table::JavaPattern::compile(pattern);
  EXPECT_TRUE(compiled) << pattern << ": " << compiled.error().to_string();
  return compiled && *compiled->is_found_in(text);
}

TEST(JavaPattern, FindsWhatJavaFinds) {
  EXPECT_TRUE(is_found("b.d", "abcde"));
  EXPECT_TRUE(is_found("a.b", "a\nb"));  // HBase compiles with DOTALL
  EXPECT_FALSE(is_found("^b", "ab"));
  EXPECT_FALSE(is_found("^b", "a\nb"));
  EXPECT_TRUE(is_found("a$", "a\n"));
  EXPECT_TRUE(is_found("a$", "a\r\n"));
  EXPECT_TRUE(is_found("a$", "a\xe2\x80\xa8"));
  EXPECT_FALSE(is_found("a$", "a\x0b"));
  EXPECT_FALSE(is_found("a\\z", "a\n"));
  EXPECT_TRUE(is_found("^.$", "\xc3\xa4"));   // a character, not a byte
  EXPECT_TRUE(is_found("^..$", "\xff\xff"));  // each wrong byte is one U+FFFD
  EXPECT_TRUE(is_found("^v\\d{3}$", "v123"));
  EXPECT_FALSE(is_found("\\d", "\xd9\xa3"));  // an Arabic digit
  EXPECT_TRUE(is_found("(a|b)\\1", "xbb"));
  EXPECT_TRUE(is_found("(?<x>a)\\k<x>", "aa"));
  EXPECT_TRUE(is_found("[a-c\\]]+\\Q.*\\E", "b].*"));
  EXPECT_TRUE(is_found("x{2,}+", "xx"));
}

TEST(JavaPattern, WhatJavaTakesOtherwiseIsRefused) {
  for (const std::string pattern :
       {"(?i)a",    "(?m)^a",       "\\bword\\b",  "\\p{Alpha}", "\\u0041", "\\cA", "\\012",
        "[a[bc]]",  "[a-z&&[def]]", "[[:alpha:]]", "[]a]",       "\\R",     "\\12", "(*UTF)a",
        "(?P<n>a)", "a{,3}",        "{1}",         "a{b",        "\\G",     "\\K"}) {
    EXPECT_FALSE(table::JavaPattern::compile(pattern)) << pattern;
  }
}

TEST(JavaPattern, ASearchThatNeverEndsIsAnError) {
  const auto pattern = table::JavaPattern::compile("^(a+)+\\d$");
  ASSERT_TRUE(pattern);
  const auto found = pattern->is_found_in(std::string(40, 'a') + "!");
  EXPECT_TRUE(!found || !*found);
}

TEST(FuzzyRow, TheNextRowIsTheLeastThatCanMatch) {
  const FuzzyKey key{"a?c", std::string("\0\1\0", 3)};
  EXPECT_EQ(table::next_fuzzy_row(key, "aab", false), "aac");
  EXPECT_EQ(table::next_fuzzy_row(key, "aac", false), "abc");
  EXPECT_EQ(table::next_fuzzy_row(key, "aad", false), "abc");
  EXPECT_EQ(table::next_fuzzy_row(key, "Z", false), "a?c");
  EXPECT_EQ(table::next_fuzzy_row(key, "b", false), std::nullopt);
}

TEST(MultiRowRange, RangesThatMeetAreJoined) {
  const auto joined = table::joined_ranges(
      {{"m", true, "p", false}, {"a", true, "c", false}, {"c", true, "d", true}, {"b", true, "b", true}});
  ASSERT_TRUE(joined);
  ASSERT_EQ(joined->size(), 2u);
  EXPECT_EQ((*joined)[0].start, "a");
  EXPECT_EQ((*joined)[0].stop, "d");
  EXPECT_TRUE((*joined)[0].includes_stop);
}

TEST(FilteredScan, ARowThatAFilterHasEmptiedIsNoRowOfAPage) {
  const TestFolder folder;
  ASSERT_TRUE(write_cells(folder.path("file"), {},
                          {{.row = "1", .family = "f", .qualifier = "q", .timestamp = 5, .value = "v"},
                           {.row = "2", .family = "f", .qualifier = "p", .timestamp = 5, .value = "w"},
                           {.row = "2", .family = "f", .qualifier = "q", .timestamp = 5, .value = "v"}}));
  const auto table = Table::open_files({folder.path("file")});
  ASSERT_TRUE(table) << table.error().to_string();
  ScanRequest scan;
  scan.filter =
      parse_filter("SingleColumnValueExcludeFilter('f', 'q', =, 'binary:v') AND PageFilter(1)").value();
  auto scanner = table->scan(scan);
  ASSERT_TRUE(scanner) << scanner.error().to_string();
  ASSERT_TRUE(scanner->next().value());
  ASSERT_EQ(scanner->result().size(), 1U);
  EXPECT_EQ(scanner->result().cells().front().cell().value, "w");
  EXPECT_FALSE(scanner->next().value());
}

}  // namespace
}  // namespace bloomery
