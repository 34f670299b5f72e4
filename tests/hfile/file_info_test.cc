// File info: entries by name, numbers of the right size, and what is none. And the reader of messages below
// it.
#include "hfile/file_info.h"

#include <gtest/gtest.h>

#include "hfile/protobuf_reader.h"
#include "tests/base/test_bytes.h"
#include "tests/codec/damage.h"
#include "tests/hfile/protobuf_bytes.h"

namespace bloomery::hfile {
namespace {

using namespace std::string_literals;

void append_entry(std::string& message, std::string_view name, std::string_view value) {
  std::string entry;
  append_bytes_field(entry, 1, name);
  append_bytes_field(entry, 2, value);
  append_bytes_field(message, 1, entry);
}

std::string info_bytes() {
  std::string message;
  append_entry(message, "four", "\x00\x00\x01\x00"s);
  append_entry(message, "eight", "\xff\xff\xff\xff\xff\xff\xff\xfe");
  append_entry(message, "yes", "\xff");
  append_entry(message, "no", "\0"s);
  append_entry(message, "empty", "");
  return "PBUF" + delimited(message);
}

TEST(FileInfo, NotesByName) {
  const auto info = FileInfo::parse(bytes_of(info_bytes()), 0);
  ASSERT_TRUE(info) << info.error().to_string();
  EXPECT_EQ(info->entries().size(), 5u);
  EXPECT_EQ(info->find("yes"), "\xff");
  EXPECT_EQ(info->find("empty"), "");
  EXPECT_EQ(info->find("absent"), std::nullopt);
  EXPECT_EQ(*info->int32_of("four"), 256);
  EXPECT_EQ(*info->int64_of("eight"), -2);
  EXPECT_EQ(*info->int64_of("absent"), std::nullopt);
  EXPECT_TRUE(*info->is_true("yes"));
  EXPECT_FALSE(*info->is_true("no"));
  EXPECT_FALSE(*info->is_true("absent"));
  EXPECT_EQ(info->int32_of("eight").error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(info->int64_of("four").error().code(), ErrorCode::kCorruption);
  EXPECT_FALSE(info->is_true("four"));
}

TEST(FileInfo, WhatIsNoneIsRefused) {
  const std::string bytes = info_bytes();
  for_each_cut(bytes, [](const std::string& cut, const std::string& what) {
    EXPECT_FALSE(FileInfo::parse(bytes_of(cut), 0)) << what;
  });
  EXPECT_FALSE(FileInfo::parse(bytes_of(bytes + "x"), 0));
  EXPECT_FALSE(FileInfo::parse(bytes_of("XBUF" + bytes.substr(4)), 0));
  std::string twice;
  append_entry(twice, "name", "a");
  append_entry(twice, "name", "b");
  const auto info = FileInfo::parse(bytes_of("PBUF" + delimited(twice)), 0);
  ASSERT_FALSE(info);
  EXPECT_NE(info.error().detail().find("name once"), std::string::npos);
}

TEST(ProtobufReader, EveryWireType) {
  const std::string message =
      "\x08\x96\x01\x11\x01\x02\x03\x04\x05\x06\x07\x08\x1a\x02hi\x25\x01\x02\x03\x04"s;
  ProtobufReader reader(bytes_of(message), "message", 100);
  auto field = reader.next();
  ASSERT_TRUE(field && *field);
  EXPECT_EQ((*field)->number, 1u);
  EXPECT_EQ((*field)->integer, 150u);
  EXPECT_EQ((*field)->offset, 100u);
  EXPECT_FALSE(bytes_in(**field, "message"));
  field = reader.next();
  ASSERT_TRUE(field && *field);
  EXPECT_EQ((*field)->number, 2u);
  EXPECT_FALSE(integer_in(**field, "message"));
  field = reader.next();
  ASSERT_TRUE(field && *field);
  EXPECT_EQ(*bytes_in(**field, "message"), "hi");
  field = reader.next();
  ASSERT_TRUE(field && *field);
  EXPECT_EQ((*field)->number, 4u);
  field = reader.next();
  ASSERT_TRUE(field);
  EXPECT_FALSE(*field);
}

TEST(ProtobufReader, DamageIsNamedWithItsPlace) {
  for (const std::string& message :
       {"\x08"s, "\x08\x80"s, "\x11\x01"s, "\x1a\x03hi"s, "\x25\x01"s, "\x0b"s, "\x00\x01"s, "\xff"s}) {
    ProtobufReader reader(bytes_of(message), "message", 100);
    const auto field = reader.next();
    ASSERT_FALSE(field);
    EXPECT_EQ(field.error().subject(), "message");
    EXPECT_GE(field.error().offset().value_or(0), 100u);
  }
}

}  // namespace
}  // namespace bloomery::hfile
