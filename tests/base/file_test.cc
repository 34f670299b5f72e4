// Files: reading and writing all or saying why not, mappings, locks. Saving is in save_atomically_test.cc.
#include "base/file.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "failing_file_system.h"
#include "test_bytes.h"
#include "test_folder.h"

namespace bloomery {
namespace {

class FileTest : public testing::Test {
 protected:
  File opened(FileSystem& files, const std::string& name, OpenFor purpose) {
    Result<File> file = files.open(folder_.path(name), purpose);
    EXPECT_TRUE(file) << file.error().to_string();
    return std::move(file).value();
  }
  File opened(const std::string& name, OpenFor purpose = OpenFor::kReading) {
    return opened(FileSystem::real(), name, purpose);
  }

  TestFolder folder_;
};

TEST_F(FileTest, OpenSaysWhichFileAndWhy) {
  const Result<File> missing = FileSystem::real().open(folder_.path("none"), OpenFor::kReading);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().to_string(),
            folder_.path("none") + ": open: No such file or directory (not found)");
}

// A directory comes, is listed, and goes when it is empty.
TEST_F(FileTest, DirectoriesAreMadeListedAndRemoved) {
  FileSystem& files = FileSystem::real();
  const std::string made = folder_.path("made");
  ASSERT_TRUE(files.make_directory(made));
  EXPECT_EQ(files.make_directory(made).error().errno_value(), EEXIST);
  EXPECT_EQ(files.make_directory(made + "/a/b").error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(files.facts(made)->is_directory);
  folder_.write("made/file", "four");
  ASSERT_TRUE(files.make_directory(made + "/below"));
  const auto entries = files.list(made);
  ASSERT_TRUE(entries && entries->size() == 2);
  EXPECT_TRUE(entries->front().name == "below" && entries->front().is_directory);
  EXPECT_TRUE(entries->back().name == "file" && !entries->back().is_directory && entries->back().size == 4);
  EXPECT_EQ(files.remove_directory(made).error().errno_value(), ENOTEMPTY);
  ASSERT_TRUE(files.remove_directory(made + "/below"));
  ASSERT_TRUE(files.remove(made + "/file"));
  ASSERT_TRUE(files.remove_directory(made));
  EXPECT_EQ(files.remove_directory(made).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(files.list(made).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(files.facts(made).error().code(), ErrorCode::kNotFound);
}

TEST_F(FileTest, LinksAreSecondNamesAndReplaceNothing) {
  FileSystem& files = FileSystem::real();
  folder_.write("one", "bytes");
  folder_.write("other", "others");
  ASSERT_TRUE(files.link(folder_.path("one"), folder_.path("two")));
  EXPECT_TRUE(files.facts(folder_.path("one"))->is_same_file(*files.facts(folder_.path("two"))));
  EXPECT_EQ(files.link(folder_.path("one"), folder_.path("other")).error().errno_value(), EEXIST);
  EXPECT_EQ(folder_.read("other"), "others");
  EXPECT_EQ(files.link(folder_.path("none"), folder_.path("three")).error().code(), ErrorCode::kNotFound);
  ASSERT_TRUE(files.remove(folder_.path("one")));
  EXPECT_EQ(folder_.read("two"), "bytes");
}

// Nothing is waited for: a pipe would be, for its other end.
TEST_F(FileTest, OnlyRegularFilesAreOpened) {
  ASSERT_EQ(::mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  ASSERT_TRUE(std::filesystem::create_directory(folder_.path("folder")));
  for (const OpenFor purpose : {OpenFor::kReading, OpenFor::kUpdating}) {
    const auto error = [&](const std::string& path) {
      const Result<File> file = FileSystem::real().open(path, purpose);
      EXPECT_FALSE(file) << path;
      return file ? "" : file.error().to_string();
    };
    const std::string expected = ": expected a regular file, found ";
    EXPECT_EQ(error(folder_.path("pipe")), folder_.path("pipe") + expected + "a pipe (invalid argument)");
    EXPECT_EQ(error(folder_.path("folder")),
              folder_.path("folder") + expected + "a directory (invalid argument)");
    EXPECT_EQ(error("/dev/null"), "/dev/null" + expected + "a device (invalid argument)");
  }
}

TEST_F(FileTest, ExclusiveCreationNeverOpensWhatIsThere) {
  folder_.write("old", "old");
  const Result<File> second = FileSystem::real().open(folder_.path("old"), OpenFor::kCreatingExclusively);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().errno_value(), EEXIST);
  EXPECT_EQ(folder_.read("old"), "old");
  (void)opened("new", OpenFor::kCreatingExclusively);
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"new", "old"}));
}

TEST_F(FileTest, ShortWritesAreContinued) {
  FailingFileSystem files({.bytes_per_write_max = 3});
  File file = opened(files, "new", OpenFor::kCreatingExclusively);
  ASSERT_TRUE(file.write_all(bytes_of("0123456789")));
  ASSERT_TRUE(file.write_all_at(4, bytes_of("abcd")));
  EXPECT_EQ(folder_.read("new"), "0123abcd89");
  EXPECT_EQ(files.calls(), 1 + 4 + 2);
}

TEST_F(FileTest, AFailingWriteIsReportedWhereverItComes) {
  for (int call = 2; call <= 5; ++call) {
    FailingFileSystem files({.call = call, .errno_value = ENOSPC, .bytes_per_write_max = 3});
    File file = opened(files, "new" + std::to_string(call), OpenFor::kCreatingExclusively);
    const Status status = file.write_all(bytes_of("0123456789"));
    ASSERT_FALSE(status) << call;
    EXPECT_EQ(status.error().errno_value(), ENOSPC);
  }
}

// /dev/full is the kernel's own full disk.
TEST_F(FileTest, TheKernelsRefusalIsPassedOn) {
  File full(&FileSystem::real(), ::open("/dev/full", O_RDWR | O_CLOEXEC), "/dev/full");
  ASSERT_GE(full.descriptor(), 0);
  const Status status = full.write_all(bytes_of("x"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().to_string(), "/dev/full: write: No space left on device (I/O error)");
}

TEST_F(FileTest, ReadsExactlyWhatIsAskedOrSaysWhereTheFileEnds) {
  folder_.write("ten", "0123456789");
  File file = opened("ten");
  Bytes read(4);
  ASSERT_TRUE(file.read_exactly_at(6, read));
  EXPECT_EQ(text_of(read), "6789");
  ASSERT_TRUE(file.read_exactly_at(10, std::span(read).first(0)));
  ASSERT_TRUE(file.read_exactly_at(99, std::span(read).first(0)));

  const Status beyond = file.read_exactly_at(7, read);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(beyond.error().subject(), folder_.path("ten"));
  EXPECT_EQ(beyond.error().offset(), 10u);
  EXPECT_EQ(beyond.error().detail(), "expected 1 more bytes, found the end");
  EXPECT_EQ(file.read_exactly_at(50, read).error().offset(), 50u);
}

TEST_F(FileTest, FactsOfWhatIsThere) {
  folder_.write("ten", "0123456789");
  std::filesystem::permissions(folder_.path("ten"), std::filesystem::perms(0640));
  for (const Result<FileFacts>& facts :
       {FileSystem::real().facts(folder_.path("ten")), FileSystem::real().facts(opened("ten"))}) {
    ASSERT_TRUE(facts) << facts.error().to_string();
    EXPECT_EQ(facts->size_bytes, 10u);
    EXPECT_TRUE(facts->is_regular);
    EXPECT_EQ(facts->permissions, 0640u);
  }
  EXPECT_FALSE(FileSystem::real().facts(folder_.path("."))->is_regular);
  EXPECT_FALSE(FileSystem::real().facts("/dev/null")->is_regular);
  EXPECT_EQ(FileSystem::real().facts(folder_.path("none")).error().code(), ErrorCode::kNotFound);
}

// Closed when it goes, once, also when it was moved about.
TEST_F(FileTest, AFileIsClosedOnce) {
  folder_.write("a", "a");
  FailingFileSystem files({});
  int descriptor = -1;
  {
    File first = opened(files, "a", OpenFor::kReading);
    descriptor = first.descriptor();
    File second = std::move(first);
    File third;
    third = std::move(second);
    EXPECT_EQ(third.descriptor(), descriptor);
    EXPECT_EQ(third.path(), folder_.path("a"));
    EXPECT_EQ(files.calls(), 1);
    EXPECT_NE(::fcntl(descriptor, F_GETFD), -1);
  }
  EXPECT_EQ(files.calls(), 2);
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), -1);

  File closed = opened(files, "a", OpenFor::kReading);
  EXPECT_TRUE(closed.close());
  EXPECT_EQ(closed.descriptor(), -1);
  EXPECT_EQ(files.calls(), 4);
}

TEST_F(FileTest, AssigningClosesWhatWasOpen) {
  folder_.write("a", "a");
  File file = opened("a");
  const int descriptor = ::fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 100);
  File other(&FileSystem::real(), descriptor, "other");
  other = std::move(file);
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), -1);
}

// A close that fails must not be tried again: the number may be somebody else's by then.
TEST_F(FileTest, AFailedCloseIsNotRepeated) {
  folder_.write("a", "a");
  FailingFileSystem files({.call = 2});
  {
    File file = opened(files, "a", OpenFor::kReading);
    EXPECT_FALSE(file.close());
  }
  EXPECT_EQ(files.calls(), 2);
}

TEST_F(FileTest, MapsWhatIsInTheFile) {
  folder_.write("ten", "0123456789");
  Result<MappedFile> mapping = FileSystem::real().map(opened("ten"), 10, MapAccess::kReadOnly);
  ASSERT_TRUE(mapping) << mapping.error().to_string();
  const MappedFile moved = std::move(mapping).value();
  EXPECT_EQ(text_of(moved.bytes()), "0123456789");  // the file is closed by now
}

TEST_F(FileTest, WritesThroughAMappingReachTheFile) {
  folder_.write("ten", "0123456789");
  const File file = opened("ten", OpenFor::kUpdating);
  const Result<MappedFile> mapping = FileSystem::real().map(file, 10, MapAccess::kReadWrite);
  ASSERT_TRUE(mapping) << mapping.error().to_string();
  mapping->writable_bytes()[3] = std::byte{'x'};
  EXPECT_TRUE(FileSystem::real().sync_mapping(file, *mapping));
  EXPECT_EQ(folder_.read("ten"), "012x456789");
}

// mmap(2) itself refuses a length of zero.
TEST_F(FileTest, AnEmptyFileMapsToNothing) {
  folder_.write("empty", "");
  const File file = opened("empty");
  const Result<MappedFile> mapping = FileSystem::real().map(file, 0, MapAccess::kReadOnly);
  ASSERT_TRUE(mapping) << mapping.error().to_string();
  EXPECT_TRUE(mapping->bytes().empty());
  EXPECT_TRUE(FileSystem::real().sync_mapping(file, *mapping));
}

TEST_F(FileTest, MappingADirectoryIsRefused) {
  const File directory(&FileSystem::real(), ::open(folder_.path("").c_str(), O_RDONLY | O_CLOEXEC),
                       "a folder");
  const Result<MappedFile> mapping = FileSystem::real().map(directory, 10, MapAccess::kReadOnly);
  ASSERT_FALSE(mapping);
  EXPECT_EQ(mapping.error().code(), ErrorCode::kIo);
}

TEST_F(FileTest, OnlyOneHoldsTheLock) {
  folder_.write("a", "a");
  const File other = opened("a");
  {
    const File first = opened("a");
    ASSERT_TRUE(FileSystem::real().lock_exclusively(first));
    const Status second = FileSystem::real().lock_exclusively(other);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code(), ErrorCode::kIo);
    EXPECT_EQ(second.error().errno_value(), EWOULDBLOCK);
  }
  EXPECT_TRUE(FileSystem::real().lock_exclusively(other)) << "the lock ends with the file that held it";
}

TEST_F(FileTest, ReservingChangesNoByteOfTheFile) {
  folder_.write("ten", "0123456789");
  const File file = opened("ten", OpenFor::kUpdating);
  EXPECT_TRUE(FileSystem::real().reserve(file, 10));
  EXPECT_EQ(folder_.read("ten"), "0123456789");
}

}  // namespace
}  // namespace bloomery
