// Which bytes are taken for an HFile, and the times that file info has.
#include "hfile/recognition.h"

#include <span>
#include <string>

#include <gtest/gtest.h>

#include "hfile/time_span.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/golden.h"
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
  EXPECT_FALSE(hfile::looks_like_hfile(folder.path("")).value()) << "a directory";
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

}  // namespace
}  // namespace bloomery
