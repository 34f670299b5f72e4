// Thrift's compact protocol: how deep values may lie in each other, and lists without elements.
#include "codec/parquet/compact_reader.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"

namespace bloomery::parquet {
namespace {

using namespace std::string_literals;

// `count` structs, each the only field of the one before.
Status skip_nested(std::size_t count) {
  const std::string bytes = std::string(count, '\x1c') + std::string(count + 1, '\0');
  CompactReader reader(bytes_of(bytes), 0, "test");
  return reader.read_struct([&](const CompactField& field) { return reader.skip(field); });
}

TEST(CompactReader, AFieldThatIsSkippedHasAtMostThirtyTwoLevelsBelowIt) {
  EXPECT_TRUE(skip_nested(1));
  EXPECT_TRUE(skip_nested(33));
  const Status refused = skip_nested(34);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kCorruption);
  EXPECT_NE(refused.error().to_string().find("deeper than 32"), std::string::npos);
}

// How many elements a list of structs has, or -1 for an error.
int structs_in_list(const std::string& bytes) {
  CompactReader reader(bytes_of(bytes), 0, "test");
  int count = 0;
  const Status status = reader.read_struct([&](const CompactField& field) {
    return reader.read_list(field, CompactType::kStruct, [&] {
      ++count;
      return reader.read_struct([&](const CompactField& inner) { return reader.skip(inner); });
    });
  });
  return status ? count : -1;
}

// Writers do not agree on the type of what is not there.
TEST(CompactReader, AListWithoutElementsIsOfAnyType) {
  EXPECT_EQ(structs_in_list("\x19\x2c\0\0\0"s), 2);
  for (const char* const type : {"\x00", "\x0c", "\x05", "\x08"}) {
    EXPECT_EQ(structs_in_list("\x19"s + *type + '\0'), 0) << int{*type};
  }
  EXPECT_EQ(structs_in_list("\x19\x15\2\0"s), -1) << "one number where a struct was expected";
}

}  // namespace
}  // namespace bloomery::parquet
