// A nameless file can be written and read, and its directory never shows it.
#include "base/nameless_file.h"

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/base/failing_file_system.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

std::string numbered_name(int number) {
  return "stem-" + std::to_string(::getpid()) + "-" + std::to_string(number);
}

Result<File> create(const TestFolder& folder, FileSystem& files = FileSystem::real()) {
  return create_nameless_file(files, folder.path(""), "stem");
}

TEST(NamelessFile, HoldsBytesAndHasNoName) {
  const TestFolder folder;
  File first = create(folder).value();
  File second = create(folder).value();
  EXPECT_TRUE(folder.names().empty());
  const std::vector<std::byte> ones(10, std::byte{1});
  const std::vector<std::byte> twos(10, std::byte{2});
  ASSERT_TRUE(first.write_all_at(5, ones).has_value());
  ASSERT_TRUE(second.write_all_at(5, twos).has_value());
  std::vector<std::byte> bytes(10);
  ASSERT_TRUE(first.read_exactly_at(5, bytes).has_value());
  EXPECT_EQ(bytes, ones);
  EXPECT_EQ(first.path(), folder.path(numbered_name(0)));
}

// Up to a hundred names, and none of those files is touched.
TEST(NamelessFile, ExistingNamesAreSteppedOver) {
  const TestFolder folder;
  for (int number = 0; number < 99; ++number) {
    folder.write(numbered_name(number), "not ours");
  }
  EXPECT_EQ(create(folder).value().path(), folder.path(numbered_name(99)));
  folder.write(numbered_name(99), "not ours");
  const Result<File> none = create(folder);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().errno_value(), EEXIST);
  EXPECT_EQ(folder.names().size(), 100u);
  EXPECT_EQ(folder.read(numbered_name(99)), "not ours");
}

TEST(NamelessFile, ADirectoryThatIsNoneIsNamed) {
  const TestFolder folder;
  const Result<File> file = create_nameless_file(FileSystem::real(), folder.path("missing"), "stem");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(file.error().subject().find(folder.path("missing")), std::string::npos);
}

// A name that cannot be removed is an error; a second try cleans up where it can.
TEST(NamelessFile, AFailedCallIsAnError) {
  for (const FailureLasts lasts : {FailureLasts::kOneCall, FailureLasts::kForEver}) {
    for (int call = 1; call <= 2; ++call) {
      const TestFolder folder;
      FailingFileSystem files({.call = call, .errno_value = EIO, .lasts = lasts});
      const Result<File> file = create(folder, files);
      ASSERT_FALSE(file.has_value()) << files.failed();
      EXPECT_EQ(file.error().errno_value(), EIO);
      EXPECT_EQ(folder.names().size(), call == 2 && lasts == FailureLasts::kForEver ? 1u : 0u);
    }
  }
}

}  // namespace
}  // namespace bloomery
