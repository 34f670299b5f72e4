// Saving: whole or not at all, whichever step fails.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "bloomery/base/file_lock.h"
#include "failing_file_system.h"
#include "test_bytes.h"
#include "test_folder.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr SaveOptions kRefuse = {.if_exists = IfExists::kRefuse};

Status save(const std::string& path, const SaveOptions& options, FileSystem& files = FileSystem::real()) {
  const std::string_view text = kNewContent;
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
  EXPECT_EQ(folder.read("a"), kNewContent);
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

// An error names the file that the caller named, and not the temporary file that the caller never hears of.
TEST(SaveAtomically, AMissingFolderIsAnErrorThatNamesTheFile) {
  const TestFolder folder;
  const Status saved = save(folder.path("none/a"), kRefuse);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().subject(), folder.path("none/a"));
  EXPECT_EQ(saved.error().errno_value(), ENOENT);
}

TEST(SaveAtomically, NoPartsMakeAnEmptyFile) {
  const TestFolder folder;
  ASSERT_TRUE(save_atomically(FileSystem::real(), folder.path("a"), {}, kRefuse));
  EXPECT_EQ(folder.read("a"), "");
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(SaveAtomically, AnExistingFileIsReplacedOnlyWhenAsked) {
  const TestFolder folder;
  folder.write("a", kOldContent);
  const Status refused = save(folder.path("a"), kRefuse);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().errno_value(), EEXIST);
  EXPECT_EQ(refused.error().to_string(),
            folder.path("a") + ": exists already, and may not be replaced (invalid argument)");
  EXPECT_EQ(folder.read("a"), kOldContent);

  ASSERT_TRUE(save(folder.path("a"), kReplaceOld));
  EXPECT_EQ(folder.read("a"), kNewContent);
  EXPECT_EQ(folder.names(), Names{"a"});
}

// Whoever has the old file open or mapped keeps the old bytes: it is replaced, not rewritten.
TEST(SaveAtomically, ReadersOfTheOldFileKeepIt) {
  const TestFolder folder;
  folder.write("a", kOldContent);
  Result<File> reader = FileSystem::real().open(folder.path("a"), OpenFor::kReading);
  ASSERT_TRUE(reader);
  ASSERT_TRUE(save(folder.path("a"), kReplaceOld));
  Bytes read(kOldContent.size());
  ASSERT_TRUE(reader->read_exactly_at(0, read));
  EXPECT_EQ(text_of(read), kOldContent);
}

TEST(SaveAtomically, KeepsTheOldFilesPermissions) {
  const TestFolder folder;
  for (const std::uint32_t permissions : {0600u, 0444u, 0664u, 0755u}) {
    folder.write("a", kOldContent);
    fs::permissions(folder.path("a"), fs::perms(permissions));
    ASSERT_TRUE(save(folder.path("a"), kReplaceOld));
    EXPECT_EQ(permissions_of(folder.path("a")), permissions);
    EXPECT_EQ(folder.read("a"), kNewContent);
    fs::remove(folder.path("a"));
  }
}

TEST(SaveAtomically, ASymbolicLinkIsFollowedAndKept) {
  const TestFolder folder;
  fs::create_directory(folder.path("far"));
  folder.write("far/target", kOldContent);
  fs::create_symlink("far/target", folder.path("near"));
  fs::create_symlink("near", folder.path("chain"));
  ASSERT_TRUE(save(folder.path("chain"), kReplaceOld));
  EXPECT_EQ(folder.read("far/target"), kNewContent);
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
  EXPECT_EQ(folder.read("far/target"), kNewContent);
  EXPECT_EQ(folder.read("absolute-target"), kNewContent);
  EXPECT_EQ(folder.names(), (Names{"absolute", "absolute-target", "far", "relative"}));
  EXPECT_TRUE(fs::is_symlink(folder.path("relative")));
}

TEST(SaveAtomically, ALoopOfLinksIsRefused) {
  const TestFolder folder;
  fs::create_symlink("b", folder.path("a"));
  fs::create_symlink("a", folder.path("b"));
  const Status saved = save(folder.path("a"), kReplaceOld);
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
    const Status saved = save(path, kReplaceOld);
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
  const Status saved = save(folder.path("none/a"), kReplaceOld);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(saved.error().subject().starts_with(folder.path("none/a"))) << saved.error().to_string();
  EXPECT_EQ(folder.names(), Names{});
}

// Killed processes may have left any number of temporary files, also ones with our number.
TEST(SaveAtomically, LeftoversAreLeftAloneAndInNobodysWay) {
  const TestFolder folder;
  Names names = {"a"};
  for (int i = 0; i < 200; ++i) {
    names.push_back("a.tmp." + std::to_string(::getpid()) + "." + std::to_string(i));
    folder.write(names.back(), "not ours");
  }
  std::ranges::sort(names);
  ASSERT_TRUE(save(folder.path("a"), kReplaceOld));
  EXPECT_EQ(folder.read("a"), kNewContent);
  EXPECT_EQ(folder.read(names.back()), "not ours");
  EXPECT_EQ(folder.names(), names);
}

// Puts another file in the place of `path` just before the `call`-th look at it.
class OutrunningFileSystem final : public FileSystem {
 public:
  OutrunningFileSystem(std::string path, int call) : path_(std::move(path)), call_(call) {}
  Result<FileFacts> facts(const std::string& path) override {
    if (path == path_ && ++calls_ == call_) {
      std::ofstream(path_ + ".other") << "another's";
      EXPECT_EQ(::rename((path_ + ".other").c_str(), path_.c_str()), 0);
    }
    return FileSystem::facts(path);
  }
  Result<FileFacts> facts(const File& file) override { return FileSystem::facts(file); }
  int calls() const { return calls_; }

 private:
  std::string path_;
  int call_;
  int calls_ = 0;
};

// Of two that make the same new file one wins, and the other is told.
TEST(SaveAtomically, AFileThatAppearsMeanwhileIsNotReplacedUnlessAsked) {
  const TestFolder folder;
  for (int call = 1;; ++call) {
    OutrunningFileSystem files(folder.path("a"), call);
    const Status saved = save(folder.path("a"), kRefuse, files);
    if (files.calls() < call) {
      EXPECT_GE(call, 2) << "it was looked at before the work and after it";
      break;
    }
    ASSERT_FALSE(saved) << call;
    EXPECT_EQ(saved.error().errno_value(), EEXIST);
    EXPECT_EQ(saved.error().to_string(),
              folder.path("a") + ": exists already, and may not be replaced (invalid argument)");
    EXPECT_EQ(folder.read("a"), "another's") << call;
    EXPECT_EQ(folder.names(), Names{"a"}) << call;
    fs::remove(folder.path("a"));
  }
}

// The last look finds no file, and the name is taken before the rename.
TEST(SaveAtomically, TheRenameItselfReplacesNothing) {
  class Late final : public FileSystem {
   public:
    Status rename_to_new(const std::string& from, const std::string& to) override {
      if (tries++ == 0) {
        std::ofstream(to) << "another's";
      }
      return FileSystem::rename_to_new(from, to);
    }
    int tries = 0;
  };
  const TestFolder folder;
  Late files;
  EXPECT_EQ(save(folder.path("a"), kRefuse, files).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(folder.read("a"), "another's");
  Late again;
  ASSERT_TRUE(save(folder.path("b"), kReplaceOld, again)) << "asked to replace: looks once more";
  EXPECT_EQ(again.tries, 1);
  EXPECT_EQ(folder.read("b"), kNewContent);
  EXPECT_EQ(folder.names(), (Names{"a", "b"}));
}

TEST(SaveAtomically, AReplacementLocksWhateverHasTheNameInTheEnd) {
  const TestFolder folder;
  for (int call = 1;; ++call) {
    folder.write("a", kOldContent);
    OutrunningFileSystem files(folder.path("a"), call);
    const Status saved = save(folder.path("a"), kReplaceOld, files);
    ASSERT_TRUE(saved) << call << saved.error().to_string();
    EXPECT_EQ(folder.read("a"), kNewContent) << call;
    EXPECT_EQ(folder.names(), Names{"a"}) << call;
    if (files.calls() < call) {
      break;
    }
  }
}

TEST(SaveAtomically, AFileInUseIsNotReplaced) {
  const TestFolder folder;
  folder.write("a", kOldContent);
  {
    const Result<FileLock> held = FileLock::take(folder.path("a"));
    ASSERT_TRUE(held && held->holds_file());
    const Status saved = save(folder.path("a"), kReplaceOld);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().errno_value(), EWOULDBLOCK) << saved.error().to_string();
    EXPECT_EQ(folder.read("a"), kOldContent);
    EXPECT_TRUE(save(folder.path("a"), {.if_exists = IfExists::kReplace, .lock = held->file()}))
        << "but by whoever holds the lock";
  }
  EXPECT_EQ(folder.read("a"), kNewContent);
  EXPECT_TRUE(save(folder.path("a"), kReplaceOld)) << "the lock ends with its holder";
  EXPECT_EQ(folder.names(), Names{"a"});
}

// A lock on a file that lost its name guards nothing.
TEST(SaveAtomically, UnderALockNoOtherFileIsReplaced) {
  const TestFolder folder;
  folder.write("a", kOldContent);
  const Result<FileLock> held = FileLock::take(folder.path("a"));
  ASSERT_TRUE(held);
  const SaveOptions options{.if_exists = IfExists::kReplace, .lock = held->file()};
  for (int call = 2;; ++call) {
    OutrunningFileSystem files(folder.path("a"), call);
    const Status saved = save(folder.path("a"), options, files);
    if (files.calls() < call) {
      EXPECT_GT(call, 2);
      break;
    }
    ASSERT_FALSE(saved) << call;
    EXPECT_EQ(saved.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(folder.read("a"), "another's");
    EXPECT_EQ(folder.names(), Names{"a"});
  }
  fs::remove(folder.path("a"));
  EXPECT_FALSE(save(folder.path("a"), options)) << "nor is one made";
  EXPECT_EQ(folder.names(), Names{});
}

TEST(FileLock, HoldsNothingWhereThereIsNoFileAndRefusesWhatIsNone) {
  const TestFolder folder;
  const Result<FileLock> none = FileLock::take(folder.path("a"));
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->holds_file());
  fs::create_directory(folder.path("directory"));
  ASSERT_EQ(::mkfifo(folder.path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(FileLock::take(folder.path("directory")).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(FileLock::take(folder.path("fifo")).error().code(), ErrorCode::kInvalidArgument);
}

TEST(FileLock, IsOfTheFileThatALinkNames) {
  const TestFolder folder;
  folder.write("a", kOldContent);
  fs::create_symlink("a", folder.path("link"));
  const Result<FileLock> first = FileLock::take(folder.path("link"));
  ASSERT_TRUE(first);
  EXPECT_EQ(FileLock::take(folder.path("a")).error().errno_value(), EWOULDBLOCK);
}

// Every look at the temporary file before it has its name: who but the owner may read it, whatever it is to become.
TEST(SaveAtomically, TheTemporaryFileIsItsOwnersAlone) {
  class Looking final : public FileSystem {
   public:
    Result<std::size_t> write(const File& file, std::span<const std::byte> bytes) override {
      EXPECT_EQ(permissions_of(file.path()), 0600u);
      ++looks;
      return FileSystem::write(file, bytes);
    }
    Result<File> open(const std::string& path, OpenFor purpose) override {
      Result<File> file = FileSystem::open(path, purpose);
      if (purpose == OpenFor::kCreatingExclusively) {
        EXPECT_EQ(permissions_of(path), 0600u);
        ++looks;
      }
      return file;
    }
    int looks = 0;
  };
  const TestFolder folder;
  folder.write("old", kOldContent);
  fs::permissions(folder.path("old"), fs::perms(0666));
  for (const char* const name : {"new", "old"}) {
    Looking files;
    ASSERT_TRUE(save(folder.path(name), kReplaceOld, files));
    EXPECT_GE(files.looks, 2);
  }
  EXPECT_EQ(permissions_of(folder.path("old")), 0666u);
}

TEST(SaveAtomically, KeepsTheOldFilesOwnerWhereItMay) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root may give files away";
  }
  const TestFolder folder;
  folder.write("a", kOldContent);
  ASSERT_EQ(::chown(folder.path("a").c_str(), 1234, 4321), 0);
  fs::permissions(folder.path("a"), fs::perms(0640));
  ASSERT_TRUE(save(folder.path("a"), kReplaceOld));
  struct stat status {};
  ASSERT_EQ(::stat(folder.path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1234u);
  EXPECT_EQ(status.st_gid, 4321u);
  EXPECT_EQ(status.st_mode & 0777U, 0640u);
  EXPECT_EQ(folder.read("a"), kNewContent);
}

// What the old group might read is not shown to another one.
TEST(SaveAtomically, WhereTheGroupCannotBeKeptItMayDoWhatAllMay) {
  class Refusing final : public FileSystem {
   public:
    Result<FileFacts> facts(const std::string& path) override {
      Result<FileFacts> facts = FileSystem::facts(path);
      if (facts) {
        facts->owner += 1;
        facts->group += 1;
      }
      return facts;
    }
    Status set_owner(const File& file, std::uint32_t, std::uint32_t) override {
      return Error::io(file.path(), "fchown", EPERM);
    }
  };
  const TestFolder folder;
  for (const auto& [before, after] :
       {std::pair(0660u, 0600u), {0644u, 0644u}, {0604u, 0644u}, {0600u, 0600u}}) {
    folder.write("a", kOldContent);
    fs::permissions(folder.path("a"), fs::perms(before));
    Refusing files;
    ASSERT_TRUE(save(folder.path("a"), kReplaceOld, files));
    EXPECT_EQ(permissions_of(folder.path("a")), after);
    fs::remove(folder.path("a"));
  }
}

TEST(SaveAtomically, ANewFileHasThePermissionsThatAreAskedFor) {
  const TestFolder folder;
  ASSERT_TRUE(save(folder.path("a"), {.if_exists = IfExists::kRefuse, .permissions = 0600}));
  EXPECT_EQ(permissions_of(folder.path("a")), 0600u);
}

TEST(SaveAtomically, ACancelledSaveLeavesTheOldFileAndNothingElse) {
  const TestFolder folder;
  folder.write("a", kOldContent);
  const std::atomic<bool> cancelled = true;
  const Status saved = save(folder.path("a"), {.if_exists = IfExists::kReplace, .cancelled = &cancelled});
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().errno_value(), EINTR);
  EXPECT_EQ(folder.read("a"), kOldContent);
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
  EXPECT_EQ(folder.read("a"), kNewContent);
  EXPECT_GT(files.calls(), static_cast<int>(kNewContent.size()));
}

}  // namespace
}  // namespace bloomery
