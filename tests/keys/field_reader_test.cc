// From a line to fields: by a delimiter, by blanks, as CSV and as JSON; what a line lacks, and what is malformed.
#include "keys/field_reader.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

using Parts = std::vector<std::string_view>;

Parts selected(std::string_view line, char delimiter, std::string_view fields) {
  static FieldReader reader({});
  reader = FieldReader({.fields = *parse_field_list(fields), .delimiter = delimiter});
  Parts parts = {"what was in it before"};
  EXPECT_TRUE(reader.select(line, parts));
  return parts;
}

TEST(SelectFields, TakesThemInTheOrderWritten) {
  EXPECT_EQ(selected("a,b,c,d", ',', "2"), (Parts{"b"}));
  EXPECT_EQ(selected("a,b,c,d", ',', "3,1"), (Parts{"c", "a"}));
  EXPECT_EQ(selected("a,b,c,d", ',', "2-4"), (Parts{"b", "c", "d"}));
  EXPECT_EQ(selected("a,b,c,d", ',', "-2"), (Parts{"a", "b"}));
  EXPECT_EQ(selected("a,b,c,d", ',', "3-"), (Parts{"c", "d"}));
  EXPECT_EQ(selected("a,b,c,d", ',', "2,2"), (Parts{"b", "b"}));
}

// As cut(1): each delimiter ends a field, two in a row have an empty one between them.
TEST(SelectFields, EmptyFieldsAreFields) {
  EXPECT_EQ(selected("", ',', "1"), (Parts{""}));
  EXPECT_EQ(selected(",", ',', "1-2"), (Parts{"", ""}));
  EXPECT_EQ(selected("a,,b,", ',', "1-"), (Parts{"a", "", "b", ""}));
  EXPECT_EQ(selected("no delimiter", ',', "1"), (Parts{"no delimiter"}));
}

// A fixed list always has its number of parts: a missing field is empty. An open range takes what there is.
TEST(SelectFields, FieldsThatALineLacks) {
  EXPECT_EQ(selected("a,b", ',', "2-4"), (Parts{"b", "", ""}));
  EXPECT_EQ(selected("a,b", ',', "9"), (Parts{""}));
  EXPECT_EQ(selected("a,b", ',', "2-"), (Parts{"b"}));
  EXPECT_EQ(selected("a,b", ',', "3-"), Parts{});
  EXPECT_EQ(selected("a,b", ',', "3-,1"), (Parts{"a"}));
}

TEST(SelectFields, AnyByteMayDelimit) {
  EXPECT_EQ(selected("a\tb", '\t', "2"), (Parts{"b"}));
  EXPECT_EQ(selected(std::string_view("a\0b", 3), '\0', "2"), (Parts{"b"}));
  EXPECT_EQ(selected("a\xff"
                     "b",
                     '\xff', "2"),
            (Parts{"b"}));
}

// Views into the line, not copies.
TEST(SelectFields, PointIntoTheLine) {
  const std::string line = "a,b";
  EXPECT_EQ(selected(line, ',', "2")[0].data(), line.data() + 2);
}

// What a reader makes of a line: its parts with '|' between, "lacks: " in front of those of a line that lacks
// one, or the error.
std::string read(FieldReader& reader, std::string_view line) {
  Parts parts;
  const Result<bool> has_all = reader.select(line, parts);
  return !has_all ? "error: " + has_all.error().to_string()
                  : (*has_all ? "" : "lacks: ") + joined(parts, '|');
}

FieldReader csv(std::string_view fields) {
  return FieldReader({.fields = *parse_field_list(fields), .delimiter = ',', .split = Split::kCsv});
}

TEST(SplitAtBlanks, RunsAreOneAndLeadingBlanksNone) {
  FieldReader reader({.fields = *parse_field_list("1,2"), .split = Split::kBlanks});
  EXPECT_EQ(read(reader, "a b"), "a|b");
  EXPECT_EQ(read(reader, " \ta \t b  "), "a|b");
  EXPECT_EQ(read(reader, "a "), "lacks: a|");
  EXPECT_EQ(read(reader, " "), "lacks: |");
}

TEST(Csv, QuotesAreTakenOff) {
  FieldReader reader = csv("1-3");
  EXPECT_EQ(read(reader, "a,b,c"), "a|b|c");
  EXPECT_EQ(read(reader, "\"a,1\",\"b\"\"\",\"\""), "a,1|b\"|");
  EXPECT_EQ(read(reader, "\"\"\"x\"\",\"\"y\"\"\",\"\"\"\",z\r"), "\"x\",\"y\"|\"|z");
  EXPECT_EQ(read(reader, "a,b"), "lacks: a|b|");
  EXPECT_EQ(read(reader, "a,,"), "a||");
}

// Also behind the fields that are wanted: a record that goes on in the next line must not pass.
TEST(Csv, MalformedLinesAreErrorsWhereverTheFaultIs) {
  for (const std::string line : {"a,\"b", "\"a", "a,b,c,\"d", "a\"b,c", "a,\"b\"c", "a,b,c,d\"", "\"a\"\""}) {
    FieldReader reader = csv("1");
    EXPECT_TRUE(read(reader, line).starts_with("error: CSV field ")) << line;
  }
}

TEST(Csv, AColumnIsFoundByItsUnquotedName) {
  FieldReader reader({.delimiter = ',', .split = Split::kCsv, .column = "the, name"});
  EXPECT_TRUE(read(reader, "1,2").starts_with("error: header")) << "no header line yet";
  ASSERT_TRUE(reader.begin_file("id,\"the, name\"\r"));
  EXPECT_EQ(read(reader, "1,2"), "2");
  ASSERT_TRUE(reader.begin_file("\"the, name\""));
  EXPECT_EQ(read(reader, "1,2"), "1");
  EXPECT_FALSE(reader.begin_file("id,name"));
  EXPECT_FALSE(reader.begin_file("\"the, name\",\"the, name\""));
}

std::string json(std::string_view path, std::string_view line) {
  FieldReader reader({.split = Split::kJson, .json_path = *parse_json_path(path)});
  return read(reader, line);
}

TEST(Json, AValueIsItsText) {
  EXPECT_EQ(json("a.b.0.c", R"({"x": [1, {"a": 2}], "a": {"b": [{"c": "v\u00e9\"\n"}]}})"), "v\xc3\xa9\"\n");
  EXPECT_EQ(json("a", R"({"a": 1.0e3 })"), "1.0e3");
  EXPECT_EQ(json("a", R"({"a":123456789012345678901234567890})"), "123456789012345678901234567890");
  EXPECT_EQ(json("a", R"({"a":true,"b":false})"), "true");
  EXPECT_EQ(json("b", R"({"a":true,"b":false})"), "false");
  EXPECT_EQ(json("1", R"(["x","y"])"), "y");
  EXPECT_EQ(json("/a.b/~0~1", R"({"a.b":{"~/":"pointer"}})"), "pointer");
  EXPECT_EQ(json("caf\xc3\xa9", R"({"caf\u00e9":"escaped name"})"), "escaped name");
  EXPECT_EQ(json("a", R"({"a":"first","a":"second"})"), "first");
  EXPECT_EQ(json("a", R"({"b":{"a":"inner"},"a":"outer"})"), "outer");
}

TEST(Json, NullContainersAndAbsentValuesAreMissing) {
  for (const std::string line : {R"({"a":null})", R"({"a":{}})", R"({"a":[1]})", "{}", "[]", R"({"b":1})"}) {
    EXPECT_EQ(json("a", line), "lacks: ") << line;
  }
  EXPECT_EQ(json("a.b", R"({"a":1})"), "lacks: ");
  EXPECT_EQ(json("01", R"(["x","y"])"), "lacks: ");
}

TEST(Json, WhatIsNoDocumentIsAnError) {
  for (const std::string line :
       {"", " ", "x", "1", "\"a\"", R"({"a":1)", R"({"a":1}})", R"({"a":1} {"a":2})", R"({"a":1,})",
        R"({"a":1,,"b":2})", R"({"a":1,"b":tru})", R"({"a":1,"b":12x})", R"({"a":1,"b":"open})",
        R"({"a":1,"b":{"c":1})", R"({"a":"\ud800"})", "{\"a\":\"\xff\"}", R"({"a" 1})",
        R"({"a":1,"b":[1 2]})"}) {
    EXPECT_TRUE(json("a", line).starts_with("error: JSON")) << line << " -> " << json("a", line);
  }
  const std::string deep = "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_TRUE(json("a", deep).starts_with("error: JSON"));
}

TEST(Json, LinesOfAnyLengthOneAfterTheOther) {
  FieldReader reader({.split = Split::kJson, .json_path = {"a"}});
  for (const std::size_t size : {1U, 100U, 1'000'000U, 10U, 3'000'000U, 0U}) {
    const std::string value(size, 'v');
    EXPECT_EQ(read(reader, "{\"a\":\"" + value + "\"}"), value);
  }
}

TEST(JsonPath, WrongOnesAreRefused) {
  for (const std::string path : {"", ".", "a.", ".a", "a..b", "/a~", "/a~2"}) {
    EXPECT_FALSE(parse_json_path(path)) << path;
  }
  EXPECT_EQ(*parse_json_path("/a//b"), (JsonPath{"a", "", "b"}));
}

}  // namespace
}  // namespace bloomery
