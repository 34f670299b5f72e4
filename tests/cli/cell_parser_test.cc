// Lines into cells: what is a cell, what is none, and what is said of it.
#include "cli/hfile/cell_parser.h"

#include <ctime>
#include <memory_resource>
#include <string>

#include <gtest/gtest.h>

#include "bloomery/hfile/tag.h"
#include "cli/hfile/cell_text.h"

namespace bloomery::cli {
namespace {

constexpr std::int64_t kNow = 77;

class CellParsing : public ::testing::Test {
 protected:
  // The cell as cat prints it, or what is wrong with the line.
  std::string tabs(const std::string& line) { return parsed(CellForm::kTabs, line); }
  std::string json(const std::string& line) { return parsed(CellForm::kJson, line); }

 private:
  std::string parsed(CellForm form, const std::string& line) {
    std::pmr::monotonic_buffer_resource arena;
    const Result<Cell> cell = CellParser(form, kNow).parse(line, arena);
    if (!cell) {
      EXPECT_EQ(cell.error().code(), ErrorCode::kInvalidArgument);
      return cell.error().detail();
    }
    std::string text;
    EXPECT_TRUE(append_cell(text, *cell, CellForm::kTabs));
    return text;
  }
};

TEST_F(CellParsing, ShortLinesArePuts) {
  EXPECT_EQ(tabs("r\tf:q\tv"), "r\tf\tq\t77\tPut\tv\t\t0\n");
  EXPECT_EQ(tabs("r\tf:q\tv\t-5"), "r\tf\tq\t-5\tPut\tv\t\t0\n");
  EXPECT_EQ(tabs("r\tf:\t"), "r\tf\t\t77\tPut\t\t\t0\n");
  EXPECT_EQ(tabs("r\tf:a:b\tv"), "r\tf\ta:b\t77\tPut\tv\t\t0\n") << "the first colon ends the family";
}

TEST_F(CellParsing, EscapesAreBytesAndOtherBytesStandForThemselves) {
  EXPECT_EQ(tabs("a\\x09\\x5C\\\\\tf:\\x00\tx y\xff"),
            "a\\x09\\x5c\\x5c\tf\t\\x00\t77\tPut\tx\\x20y\\xff\t\t0\n");
  EXPECT_EQ(tabs("r\tf:q\t\\n"), "value: expected \\xHH or \\\\, found '\\x5cn'");
  EXPECT_EQ(tabs("r\\xg0\tf:q\tv"), "row: expected \\xHH or \\\\, found '\\x5cxg0'");
  EXPECT_EQ(tabs("r\\x0g\tf:q\tv"), "row: expected \\xHH or \\\\, found '\\x5cx0g'");
  EXPECT_EQ(tabs("r\tf:q\\x4\tv"), "qualifier: expected \\xHH or \\\\, found '\\x5cx4'");
  EXPECT_EQ(tabs("r\tf\\:q\tv"), "family: expected \\xHH or \\\\, found '\\x5c'");
}

TEST_F(CellParsing, LinesOfCatAreTheirCells) {
  for (const std::string line : {"r\tf\tq\t5\tPut\tv\t\t0\n", "r\tf\t\t0\tDeleteFamily\t\t\t9\n",
                                 "r\tf\tq\t-9223372036854775808\tDelete\t\t1:a\\x2cb,255:\t0\n",
                                 "r\tf\tq\t9223372036854775807\tDeleteColumn\t\t\t9223372036854775807\n",
                                 "r\tf\t\t0\tDeleteFamilyVersion\t\t2:\\x5c:\t0\n"}) {
    EXPECT_EQ(tabs(line.substr(0, line.size() - 1)), line);
  }
}

TEST_F(CellParsing, WhatIsWrongIsNamed) {
  const std::string fields =
      "line: expected ROW, FAMILY:QUALIFIER, VALUE and perhaps TIMESTAMP with tabs between, or "
      "what cat prints, found ";
  EXPECT_EQ(tabs(""), fields + "''");
  EXPECT_EQ(tabs("r f:q v"), fields + "'r\\x20f:q\\x20v'");
  EXPECT_EQ(tabs("r\tf:q"), fields + "'r\\x09f:q'");
  EXPECT_EQ(tabs("1\t2\t3\t4\t5"), fields + "'1\\x092\\x093\\x094\\x095'");
  EXPECT_EQ(tabs("1\t2\t3\t4\t5\t6\t7\t8\t9"),
            fields + "'1\\x092\\x093\\x094\\x095\\x096\\x097\\x098\\x099'");
  EXPECT_EQ(tabs("r\tq\tv"), "column: expected FAMILY:QUALIFIER, found 'q'");
  const std::string number = "expected a whole number from -2^63 to 2^63 - 1, found ";
  EXPECT_EQ(tabs("r\tf:q\tv\tx"), "timestamp: " + number + "'x'");
  EXPECT_EQ(tabs("r\tf:q\tv\t"), "timestamp: " + number + "''");
  EXPECT_EQ(tabs("r\tf:q\tv\t1.5"), "timestamp: " + number + "'1.5'");
  EXPECT_EQ(tabs("r\tf:q\tv\t9223372036854775808"), "timestamp: " + number + "'9223372036854775808'");
  EXPECT_EQ(tabs("r\tf\tq\t1\tPut\tv\t\tx"), "mvcc: " + number + "'x'");
  EXPECT_EQ(tabs("r\tf\tq\t1\t4\tv\t\t0"),
            "type: expected Put, Delete, DeleteFamilyVersion, DeleteColumn or DeleteFamily, found '4'");
  EXPECT_TRUE(tabs("r\tf\tq\t1\tMaximum\tv\t\t0").starts_with("type: expected"));
  for (const std::string tags : {"a", "1", ":a", "1:a,", ",1:a", "-1:a", "1 :a"}) {
    EXPECT_TRUE(tabs("r\tf\tq\t1\tPut\tv\t" + tags + "\t0")
                    .starts_with("tags: expected TYPE:BYTES, with commas between"))
        << tags;
  }
  EXPECT_EQ(tabs("r\tf\tq\t1\tPut\tv\t256:a\t0"), "tags: expected a type from 0 to 255, found '256'");
  EXPECT_EQ(tabs("r\tf\tq\t1\tPut\tv\t1:" + std::string(65535, 'a') + "\t0"),
            "tags: expected at most 65,534 bytes in a tag, found '65535'");
}

TEST_F(CellParsing, ObjectsAreCells) {
  EXPECT_EQ(json(R"({"row":"r","family":"f","qualifier":"q","value":"v"})"), "r\tf\tq\t77\tPut\tv\t\t0\n");
  EXPECT_EQ(json(R"({"qualifier":"","row":"\\x00\u00e9","family":"f","type":"DeleteFamily","timestamp":-1})"),
            "\\x00\\xc3\\xa9\tf\t\t-1\tDeleteFamily\t\t\t0\n");
  EXPECT_EQ(
      json(
          R"({"row":"r","family":"f","qualifier":"q","timestamp":9223372036854775807,"type":"Put","value":"\\\\","tags":[{"type":3,"bytes":"a\\x2c"},{"bytes":"","type":0}],"mvcc":8})"),
      "r\tf\tq\t9223372036854775807\tPut\t\\x5c\t3:a\\x2c,0:\t8\n");
}

TEST_F(CellParsing, ObjectsThatAreNoCells) {
  EXPECT_EQ(json("{"), "JSON: expected one object, found '{'");
  EXPECT_EQ(json("[]"), "JSON: expected one object, found '[]'");
  EXPECT_EQ(json(""), "JSON: expected one object, found ''");
  EXPECT_EQ(json("{\"row\":\"\xff\"}"), R"(JSON: expected one object, found '{"row":"\xff"}')");
  EXPECT_EQ(json(R"({"family":"f"})"), R"(JSON: expected row as a field, found '{"family":"f"}')");
  EXPECT_TRUE(json(R"({"row":"r","family":"f","qualifier":"q"})")
                  .starts_with("JSON: expected value as a field, found "));
  EXPECT_EQ(json(R"({"row":"r","column":"f"})"),
            "JSON: expected row, family, qualifier, timestamp, type, value, tags or mvcc as a field, found "
            "'column'");
  EXPECT_EQ(json(R"({"row":1})"), "row: expected a string, found '1'");
  EXPECT_EQ(json("{\"row\":" + std::string(200000, '[') + std::string(200000, ']') + "}"),
            "row: expected a string, found 'array'")
      << "however deep";
  EXPECT_EQ(json(R"({"row":"\\y"})"), R"(row: expected \xHH or \\, found '\x5cy')");
  const std::string number = "timestamp: expected a whole number from -2^63 to 2^63 - 1, found ";
  EXPECT_EQ(json(R"({"timestamp":1e3})"), number + "'1000.0'");
  EXPECT_EQ(json(R"({"timestamp":9223372036854775808})"), number + "'9223372036854775808'");
  EXPECT_EQ(json(R"({"timestamp":"1"})"), number + "'\"1\"'");
  EXPECT_TRUE(json(R"({"type":"put"})").starts_with("type: expected"));
  for (const std::string tags : {"{}", "[1]", R"([{"type":1}])", R"([{"type":-1,"bytes":""}])",
                                 R"([{"type":1,"bytes":"","more":1}])", R"([{"type":"1","bytes":""}])"}) {
    const std::string list = "tags: expected a list of {";
    EXPECT_TRUE(json(R"({"tags":)" + tags + "}").starts_with(list)) << tags;
  }
  EXPECT_EQ(json(R"({"tags":[{"type":256,"bytes":""}]})"),
            "tags: expected a type from 0 to 255, found '256'");
}

// A line ends anywhere, and any byte may be another: an answer each time, and only of what is there.
TEST_F(CellParsing, EveryCutAndEveryByte) {
  const std::string lines[] = {
      "r\\x00\tf\tq\\\\\t5\tDeleteColumn\tv\t1:a\\x2c,2:b\t7",
      R"({"row":"r\\x00","family":"f","qualifier":"q","timestamp":5,"type":"Put","value":"","tags":[{"type":1,"bytes":"a"}]})"};
  for (const std::string& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      for (const char byte : {'\0', '\t', '\\', '"', ',', ':', 'x', '\xff'}) {
        std::string changed = line;
        changed[i] = byte;
        EXPECT_FALSE(tabs(changed).empty());
        EXPECT_FALSE(json(changed).empty());
      }
      EXPECT_FALSE(tabs(line.substr(0, i)).empty());
      EXPECT_FALSE(json(line.substr(0, i)).empty());
    }
  }
}

// A line of 200,000 names took 47 s: each was compared with all before it. Linear work is far below a second.
TEST_F(CellParsing, ALineOfJsonHasALimitOfFieldsAndOfDepth) {
  std::string many = "{";
  for (int i = 0; i < 200000; ++i) {
    many += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":1";
  }
  const std::clock_t begin = std::clock();  // of the processor, since the machine may be busy
  EXPECT_EQ(json(many + "}").find("JSON: expected at most 64 fields in a line, found '{"), 0u);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 10.0);
  const std::string cell = R"({"row":"r","family":"f","qualifier":"q","value":"v")";
  EXPECT_EQ(json(cell + "}"), "r\tf\tq\t77\tPut\tv\t\t0\n");
  const auto nested = [&](int depth) {
    return json(cell + ",\"tags\":" + std::string(static_cast<std::size_t>(depth), '[') +
                std::string(static_cast<std::size_t>(depth), ']') + "}");
  };
  EXPECT_EQ(nested(2).find("tags: expected a list"), 0u) << nested(2);
  EXPECT_EQ(nested(20).find("tags: expected a list"), 0u) << nested(20);
  EXPECT_EQ(nested(1000000).find("tags: expected a list"), 0u);
}

}  // namespace
}  // namespace bloomery::cli
