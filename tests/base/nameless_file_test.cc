// A nameless file can be written and read, and its directory never shows it.
#include "base/nameless_file.h"

#include <cerrno>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/temporary_name.h"
#include "tests/base/failing_file_system.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

// A file system that has no files without a name.
class NamingFileSystem final : public FileSystem {
 public:
  Result<File> open_nameless(const std::string&, const std::string& shown) override {
    return Error::io(shown, "create", EOPNOTSUPP);
  }
  Result<File> open(const std::string& path, OpenFor purpose) override {
    names.push_back(path);
    return static_cast<int>(names.size()) <= taken ? Result<File>(Error::io(path, "create", EEXIST))
                                                   : FileSystem::open(path, purpose);
  }
  Status remove(const std::string& path) override {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600u) << "readable by its owner alone";
    return ++removes <= failing_removes ? Status(Error::io(path, "unlink", EIO)) : FileSystem::remove(path);
  }
  int taken = 0;  // names that exist, in the order of the tries
  int removes = 0;
  int failing_removes = 0;
  std::vector<std::string> names;
};

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
}

TEST(NamelessFile, IsMadeWithANameThatIsRemovedWhereItHasTo) {
  const TestFolder folder;
  NamingFileSystem files;
  File file = create(folder, files).value();
  EXPECT_TRUE(folder.names().empty());
  ASSERT_EQ(files.names.size(), 1u);
  EXPECT_TRUE(files.names.front().starts_with(folder.path("stem-"))) << files.names.front();
  ASSERT_TRUE(file.write_all_at(0, std::vector<std::byte>(10)).has_value());
}

// Another name is tried, some times, and no two are alike.
TEST(NamelessFile, ExistingNamesAreSteppedOver) {
  const TestFolder folder;
  NamingFileSystem files;
  files.taken = kTemporaryNameTries - 1;
  EXPECT_TRUE(create(folder, files).has_value());
  EXPECT_EQ(std::set(files.names.begin(), files.names.end()).size(), files.names.size());
  NamingFileSystem all_taken;
  all_taken.taken = 1000;
  const Result<File> none = create(folder, all_taken);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().errno_value(), EEXIST);
  EXPECT_EQ(static_cast<int>(all_taken.names.size()), kTemporaryNameTries);
}

TEST(NamelessFile, ADirectoryThatIsNoneIsNamed) {
  const TestFolder folder;
  const Result<File> file = create_nameless_file(FileSystem::real(), folder.path("missing"), "stem");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(file.error().subject().find(folder.path("missing")), std::string::npos);
}

// A name that cannot be removed is an error; a second try cleans up where it can.
TEST(NamelessFile, ANameThatStaysIsAnError) {
  for (const int failing : {1, 2}) {
    const TestFolder folder;
    NamingFileSystem files;
    files.failing_removes = failing;
    const Result<File> file = create(folder, files);
    ASSERT_FALSE(file.has_value());
    EXPECT_EQ(file.error().errno_value(), EIO);
    EXPECT_EQ(folder.names().size(), failing == 2 ? 1u : 0u);
  }
}

TEST(NamelessFile, AFailedCallIsAnError) {
  const TestFolder folder;
  FailingFileSystem files({.call = 1, .errno_value = EIO});
  EXPECT_EQ(create(folder, files).error().errno_value(), EIO);
  EXPECT_EQ(files.calls(), 1);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace bloomery
