// Saving: whole or not at all, whichever step fails.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "failing_file_system.h"
#include "test_bytes.h"
#include "test_folder.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

const std::string kOld = "the old bytes";
const std::string kNew = "header, payload, metadata";  // saved in three parts

constexpr SaveOptions kReplace = {.if_exists = IfExists::kReplace};
constexpr SaveOptions kRefuse = {.if_exists = IfExists::kRefuse};

Status save(const std::string& path, const SaveOptions& options, FileSystem& files = FileSystem::real()) {
  const std::string_view text = kNew;
  const std::array<std::span<const std::byte>, 4> parts = {
      bytes_of(text.substr(0, 8)), bytes_of(""), bytes_of(text.substr(8, 9)), bytes_of(text.substr(17))};
  return save_atomically(files, path, parts, options);
}

std::uint32_t permissions_of(const std::string& path) {
  return static_cast<std::uint32_t>(fs::status(path).permissions()) & 0777;
}

TEST(SaveAtomically, MakesANewFileOfAllParts) {
  const TestFolder folder;
  const Status saved = save(folder.path("a"), kRefuse);
  ASSERT_TRUE(saved) << saved.error().to_string();
  EXPECT_EQ(folder.read("a"), kNew);
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(SaveAtomically, ANewFileHasThePermissionsOfAnyNewFile) {
  const TestFolder folder;
  const mode_t mask = ::umask(027);
  const Status saved = save(folder.path("a"), kRefuse);
  ::umask(mask);
  ASSERT_TRUE(saved);
  EXPECT_EQ(permissions_of(folder.path("a")), 0640u);
}

TEST(SaveAtomically, NoPartsMakeAnEmptyFile) {
  const TestFolder folder;
  ASSERT_TRUE(save_atomically(FileSystem::real(), folder.path("a"), {}, kRefuse));
  EXPECT_EQ(folder.read("a"), "");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(SaveAtomically, AnExistingFileIsReplacedOnlyWhenAsked) {
  const TestFolder folder;
  folder.write("a", kOld);
  const Status refused = save(folder.path("a"), kRefuse);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().to_string(),
            folder.path("a") + ": exists already, and may not be replaced (invalid argument)");
  EXPECT_EQ(folder.read("a"), kOld);

  ASSERT_TRUE(save(folder.path("a"), kReplace));
  EXPECT_EQ(folder.read("a"), kNew);
  EXPECT_EQ(folder.names(), Names{"a"});
}

// Whoever has the old file open or mapped keeps the old bytes: it is replaced, not rewritten.
TEST(SaveAtomically, ReadersOfTheOldFileKeepIt) {
  const TestFolder folder;
  folder.write("a", kOld);
  Result<File> reader = FileSystem::real().open(folder.path("a"), OpenFor::kReading);
  ASSERT_TRUE(reader);
  ASSERT_TRUE(save(folder.path("a"), kReplace));
  Bytes read(kOld.size());
  ASSERT_TRUE(reader->read_exactly_at(0, read));
  EXPECT_EQ(text_of(read), kOld);
}

TEST(SaveAtomically, KeepsTheOldFilesPermissions) {
  const TestFolder folder;
  for (const std::uint32_t permissions : {0600u, 0444u, 0664u, 0755u}) {
    folder.write("a", kOld);
    fs::permissions(folder.path("a"), fs::perms(permissions));
    ASSERT_TRUE(save(folder.path("a"), kReplace));
    EXPECT_EQ(permissions_of(folder.path("a")), permissions);
    EXPECT_EQ(folder.read("a"), kNew);
    fs::remove(folder.path("a"));
  }
}

TEST(SaveAtomically, ASymbolicLinkIsFollowedAndKept) {
  const TestFolder folder;
  fs::create_directory(folder.path("far"));
  folder.write("far/target", kOld);
  fs::create_symlink("far/target", folder.path("near"));
  fs::create_symlink("near", folder.path("chain"));
  ASSERT_TRUE(save(folder.path("chain"), kReplace));
  EXPECT_EQ(folder.read("far/target"), kNew);
  EXPECT_EQ(fs::read_symlink(folder.path("near")), "far/target");
  EXPECT_EQ(fs::read_symlink(folder.path("chain")), "near");
  EXPECT_EQ(folder.names(), (Names{"chain", "far", "near"}));
  EXPECT_FALSE(save(folder.path("chain"), kRefuse)) << "what the link names exists";
}

// As open(2) would: the named file is made and the link stays.
TEST(SaveAtomically, ASymbolicLinkToNothingYetIsFollowedToo) {
  const TestFolder folder;
  fs::create_directory(folder.path("far"));
  fs::create_symlink("far/target", folder.path("relative"));
  fs::create_symlink(folder.path("absolute-target"), folder.path("absolute"));
  ASSERT_TRUE(save(folder.path("relative"), kRefuse));
  ASSERT_TRUE(save(folder.path("absolute"), kRefuse));
  EXPECT_EQ(folder.read("far/target"), kNew);
  EXPECT_EQ(folder.read("absolute-target"), kNew);
  EXPECT_EQ(folder.names(), (Names{"absolute", "absolute-target", "far", "relative"}));
  EXPECT_TRUE(fs::is_symlink(folder.path("relative")));
}

TEST(SaveAtomically, ALoopOfLinksIsRefused) {
  const TestFolder folder;
  fs::create_symlink("b", folder.path("a"));
  fs::create_symlink("a", folder.path("b"));
  const Status saved = save(folder.path("a"), kReplace);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().errno_value(), ELOOP);
  EXPECT_EQ(folder.names(), (Names{"a", "b"}));
}

// A device replaced by a file would be lost to everyone; a FIFO or directory likewise.
TEST(SaveAtomically, WhatIsNoRegularFileIsRefusedAndUntouched) {
  const TestFolder folder;
  fs::create_directory(folder.path("directory"));
  ASSERT_EQ(::mkfifo(folder.path("fifo").c_str(), 0600), 0);
  fs::create_symlink("/dev/null", folder.path("null"));
  for (const std::string& path : {folder.path("directory"), folder.path("fifo"), folder.path("null"),
                                  std::string("/dev/null"), folder.path("directory/")}) {
    const Status saved = save(path, kReplace);
    ASSERT_FALSE(saved) << path;
    EXPECT_EQ(saved.error().code(), ErrorCode::kInvalidArgument) << path;
    EXPECT_EQ(saved.error().subject(), path);
  }
  EXPECT_TRUE(fs::is_directory(folder.path("directory")));
  EXPECT_TRUE(fs::is_fifo(folder.path("fifo")));
  EXPECT_TRUE(fs::is_symlink(folder.path("null")));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(folder.names(), (Names{"directory", "fifo", "null"}));
}

TEST(SaveAtomically, AMissingDirectoryIsNamed) {
  const TestFolder folder;
  const Status saved = save(folder.path("none/a"), kReplace);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(saved.error().subject().starts_with(folder.path("none/a"))) << saved.error().to_string();
  EXPECT_EQ(folder.names(), Names{});
}

// A killed process with our number may have left its temporary files.
TEST(SaveAtomically, LeftoversOfTheSameNameAreSteppedOver) {
  const TestFolder folder;
  const std::string leftover = "a.tmp." + std::to_string(::getpid()) + ".";
  folder.write(leftover + "0", "not ours");
  folder.write(leftover + "1", "nor this");
  ASSERT_TRUE(save(folder.path("a"), kReplace));
  EXPECT_EQ(folder.read("a"), kNew);
  EXPECT_EQ(folder.read(leftover + "0"), "not ours");
  EXPECT_EQ(folder.names(), (Names{"a", leftover + "0", leftover + "1"}));
}

TEST(SaveAtomically, ACancelledSaveLeavesTheOldFileAndNothingElse) {
  const TestFolder folder;
  folder.write("a", kOld);
  const std::atomic<bool> cancelled = true;
  const Status saved = save(folder.path("a"), {.if_exists = IfExists::kReplace, .cancelled = &cancelled});
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().errno_value(), EINTR);
  EXPECT_EQ(folder.read("a"), kOld);
  EXPECT_EQ(folder.names(), Names{"a"});
}

// Asks for a stop while the first part is written.
class StoppingFileSystem final : public FileSystem {
 public:
  Result<std::size_t> write(const File& file, std::span<const std::byte> bytes) override {
    stop = true;
    ++writes;
    return FileSystem::write(file, bytes);
  }
  std::atomic<bool> stop = false;
  int writes = 0;
};

TEST(SaveAtomically, ASaveCancelledOnTheWayStopsAtTheNextPart) {
  const TestFolder folder;
  StoppingFileSystem files;
  EXPECT_FALSE(save(folder.path("a"), {.cancelled = &files.stop}, files));
  EXPECT_EQ(files.writes, 1);
  EXPECT_EQ(folder.names(), Names{});
}

TEST(SaveAtomically, ShortWritesStillMakeTheWholeFile) {
  const TestFolder folder;
  FailingFileSystem files({.bytes_per_write_max = 1});
  ASSERT_TRUE(save(folder.path("a"), kRefuse, files));
  EXPECT_EQ(folder.read("a"), kNew);
  EXPECT_GT(files.calls(), static_cast<int>(kNew.size()));
}

}  // namespace
}  // namespace bloomery
