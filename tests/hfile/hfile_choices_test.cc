// The choices of an HFile: every value has its name, every name its value, and other names are refused.
#include "bloomery/hfile/hfile_choices.h"

#include <set>

#include <gtest/gtest.h>

namespace bloomery::hfile {
namespace {

template <typename Choice>
void expect_read_back(const std::vector<std::string>& names, Result<Choice> (*parse)(std::string_view),
                      const char* (*name_of)(Choice)) {
  std::set<Choice> choices;
  for (const std::string& name : names) {
    const Result<Choice> choice = parse(name);
    ASSERT_TRUE(choice) << name;
    EXPECT_EQ(name_of(*choice), name);
    EXPECT_TRUE(choices.insert(*choice).second) << name << " is the name of two";
  }
}

TEST(HFileChoices, AreReadBackFromTheirNames) {
  expect_read_back(compression_names(), parse_compression, compression_name);
  expect_read_back(data_encoding_names(), parse_data_encoding, data_encoding_name);
  expect_read_back(checksum_type_names(), parse_checksum_type, checksum_type_name);
  expect_read_back(bloom_type_names(), parse_bloom_type, bloom_type_name);
  expect_read_back(bloom_hash_names(), parse_bloom_hash, bloom_hash_name);
}

template <typename Choice>
void expect_refused(const Result<Choice>& choice, const std::string& detail) {
  ASSERT_FALSE(choice) << detail;
  EXPECT_EQ(choice.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(choice.error().to_string().find(detail), std::string::npos) << choice.error().to_string();
}

TEST(HFileChoices, OtherNamesAreRefusedByOption) {
  expect_refused(parse_data_encoding("PREFIX_TREE"), "encoding: expected NONE, PREFIX");
  expect_refused(parse_compression("LZO"), "compression: expected NONE, GZ");
  expect_refused(parse_compression("gz"), "compression: expected NONE, GZ");
  expect_refused(parse_checksum_type("MD5"), "checksum: expected NULL");
  expect_refused(parse_bloom_type("RIBBON"), "bloom.type: expected NONE, ROW");
  expect_refused(parse_bloom_hash("md5"), "bloom.hash: expected jenkins, murmur or murmur3, found md5");
}

}  // namespace
}  // namespace bloomery::hfile
