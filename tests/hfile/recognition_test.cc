// Which bytes are taken for an HFile, and the times that file info has.
#include "hfile/recognition.h"

#include <span>
#include <string>

#include <gtest/gtest.h>

#include "hfile/time_span.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/golden.h"
#include "tests/hfile/protobuf_bytes.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

bool looks_so(const std::string& bytes) {
  return hfile::looks_like_hfile(std::as_bytes(std::span(bytes)));
}

TEST(Recognition, AGoldenFileIsKnownByItsEndAndByItsBeginning) {
  for (const std::string& name : golden_hfiles()) {
    SCOPED_TRACE(name);
    const std::string path = hbase_golden(name + ".hfile");
    EXPECT_TRUE(hfile::looks_like_hfile(path).value());
    const std::string bytes = file_bytes(path);
    EXPECT_TRUE(looks_so(bytes));
    EXPECT_TRUE(looks_so(bytes.substr(0, bytes.size() - 1))) << "cut";
    EXPECT_TRUE(looks_so("x" + bytes.substr(1))) << "damaged";
  }
}

TEST(Recognition, OtherBytesAreNoHFileWhichIsNotDamage) {
  EXPECT_FALSE(looks_so(""));
  EXPECT_FALSE(looks_so("some text"));
  EXPECT_FALSE(looks_so(std::string(5000, 'x')));
  const TestFolder folder;
  folder.write("text", "some text\n");
  EXPECT_FALSE(hfile::looks_like_hfile(folder.path("text")).value());
  EXPECT_EQ(hfile::looks_like_hfile(folder.path("")).error().code(), ErrorCode::kInvalidArgument)
      << "a directory";
  EXPECT_EQ(hfile::open_hfile(folder.path("text")).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(hfile::open_hfile(folder.path("missing")).error().code(), ErrorCode::kNotFound);
}

TEST(TimeSpan, HasTwoFormsOfSixteenAndThirtyTwoBytes) {
  const std::string times("\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\x01\0", 16);
  const auto span = hfile::parse_time_span(times);
  ASSERT_TRUE(span);
  EXPECT_EQ(span->oldest, 5);
  EXPECT_EQ(span->newest, 256);
  EXPECT_TRUE(hfile::parse_time_span(times + std::string(16, '\0')));
  EXPECT_FALSE(hfile::parse_time_span(times + std::string(16, 'x')));
  EXPECT_FALSE(hfile::parse_time_span(times.substr(1)));
  EXPECT_FALSE(hfile::parse_time_span(""));
}

// As HBase 2.0.0, 2.0.1 and 2.1.0 wrote it. Read as two longs, it would deny every cell of our time.
std::string time_message(std::uint64_t oldest, std::uint64_t newest) {
  std::string bytes = "PBUF";
  append_integer_field(bytes, 1, oldest);
  append_integer_field(bytes, 2, newest);
  return bytes;
}

TEST(TimeSpan, IsAMessageBehindItsMagic) {
  for (const auto& [oldest, newest] : {std::pair<std::uint64_t, std::uint64_t>(1600000000, 1700000000),
                                       {1600000000000, 1700000000000},
                                       {0, 1},
                                       {~std::uint64_t{0} >> 1, ~std::uint64_t{0}}}) {
    const auto span = hfile::parse_time_span(time_message(oldest, newest));
    ASSERT_TRUE(span) << oldest;
    EXPECT_EQ(span->oldest, static_cast<std::int64_t>(oldest));
    EXPECT_EQ(span->newest, static_cast<std::int64_t>(newest));
  }
  ASSERT_EQ(time_message(1600000000, 1700000000).size(), 16u) << "as long as two longs";
  EXPECT_FALSE(hfile::parse_time_span("PBUF"));
  EXPECT_FALSE(hfile::parse_time_span(std::string("PBUF\x08\x05", 6))) << "without the newest";
  EXPECT_FALSE(hfile::parse_time_span(time_message(5, 256) + '\x08')) << "cut";
  EXPECT_FALSE(
      hfile::parse_time_span("PBUF\x0d"
                             "abcd\x10\x05"))
      << "of another type";
}

TEST(TimeSpan, SaysNothingWhereBothReadingsArePossible) {
  // A message whose 16 bytes are two ascending longs too: the field 2, a spare field, the field 1.
  std::string bytes = "PBUF";
  append_integer_field(bytes, 1, 5);
  append_bytes_field(bytes, 12, "");
  bytes += std::string("\x60\x01\x60\x01\x10\x06", 6);
  ASSERT_EQ(bytes.size(), 14u);
  bytes += std::string("\x60\x01", 2);
  EXPECT_FALSE(hfile::parse_time_span(bytes));
}

}  // namespace
}  // namespace bloomery
