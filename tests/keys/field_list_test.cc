// Field lists: -k as it is written, and the fields of a line that it names.
#include "keys/field_list.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hash/key_form.h"

namespace bloomery {
namespace {

FieldList parsed(std::string_view text) {
  const Result<FieldList> fields = parse_field_list(text);
  EXPECT_TRUE(fields) << fields.error().to_string();
  return fields ? *fields : FieldList{};
}

TEST(ParseFieldList, NumbersAndRangesInTheOrderWritten) {
  EXPECT_EQ(parsed("2"), (FieldList{{2, 2}}));
  EXPECT_EQ(parsed("1,3"), (FieldList{{1, 1}, {3, 3}}));
  EXPECT_EQ(parsed("3,1"), (FieldList{{3, 3}, {1, 1}}));
  EXPECT_EQ(parsed("2-4"), (FieldList{{2, 4}}));
  EXPECT_EQ(parsed("-2"), (FieldList{{1, 2}}));
  EXPECT_EQ(parsed("3-"), (FieldList{{3, kToTheEnd}}));
  EXPECT_EQ(parsed("7,-2,4-4,3-"), (FieldList{{7, 7}, {1, 2}, {4, 4}, {3, kToTheEnd}}));
  EXPECT_EQ(parsed("1,1"), (FieldList{{1, 1}, {1, 1}}));
  EXPECT_EQ(parsed("10000"), (FieldList{{10000, 10000}}));
  EXPECT_EQ(parsed("1-10000"), (FieldList{{1, 10000}}));
}

TEST(ParseFieldList, WhatIsNoneIsRefusedAndShown) {
  for (const std::string text : {"",
                                 "0",
                                 "-",
                                 "--",
                                 "1--2",
                                 "1-2-3",
                                 "4-2",
                                 "3-2",
                                 "0-2",
                                 "2-0",
                                 "-0",
                                 "0-",
                                 ",",
                                 "1,",
                                 ",1",
                                 "1,,2",
                                 "a",
                                 "1a",
                                 "a1",
                                 "+1",
                                 " 1",
                                 "1 ",
                                 "1, 2",
                                 "1.5",
                                 "0x1",
                                 "10001",
                                 "1-10001",
                                 "10001-",
                                 "4294967295",
                                 "4294967296",
                                 "99999999999999999999"}) {
    const Result<FieldList> fields = parse_field_list(text);
    ASSERT_FALSE(fields) << "'" << text << "'";
    EXPECT_EQ(fields.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_TRUE(fields.error().detail().ends_with("found '" + text + "'")) << fields.error().detail();
  }
}

// The number of parts is stored in 16 bits of which the highest value says "any".
TEST(ParseFieldList, MoreThanTenThousandFieldsAreRefusedTogetherToo) {
  EXPECT_EQ(part_count(parsed("1-5000,1-5000")), 10000);
  EXPECT_FALSE(parse_field_list("1-5000,1-5001"));
  EXPECT_FALSE(parse_field_list("1-10000,1-10000,1-10000,1-10000,1-10000,1-10000,1-10000"));
}

TEST(PartCount, IsTheNumberOfFieldsNamed) {
  EXPECT_EQ(part_count({}), 1) << "the whole line";
  EXPECT_EQ(part_count(parsed("7")), 1);
  EXPECT_EQ(part_count(parsed("1,3")), 2);
  EXPECT_EQ(part_count(parsed("2-4")), 3);
  EXPECT_EQ(part_count(parsed("2-4,9")), 4);
  EXPECT_EQ(part_count(parsed("3-")), kVariableParts);
  EXPECT_EQ(part_count(parsed("1,3-")), kVariableParts);
}

}  // namespace
}  // namespace bloomery
