// Files written piece by piece: whole or not at all, whichever step fails. What holds of any save (links,
// permissions, what may be replaced) is in save_atomically_test.cc.
#include "base/atomic_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "failing_file_system.h"
#include "test_bytes.h"
#include "test_folder.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

AtomicFile created(const std::string& path, const SaveOptions& options = kReplaceOld,
                   FileSystem& files = FileSystem::real()) {
  Result<AtomicFile> file = AtomicFile::create(files, path, options);
  EXPECT_TRUE(file) << file.error().to_string();
  return std::move(file).value();
}

// Writes the new content as a file whose header is known last.
Status write_new(AtomicFile& file) {
  const std::string_view text = kNewContent;
  BLOOMERY_RETURN_IF_ERROR(file.append(bytes_of("??????, ")));
  BLOOMERY_RETURN_IF_ERROR(file.append(bytes_of(text.substr(8, 9))));
  BLOOMERY_RETURN_IF_ERROR(file.write_at(0, bytes_of(text.substr(0, 6))));
  return file.append(bytes_of(text.substr(17)));
}

TEST(AtomicFile, PiecesAndALateHeaderMakeTheFile) {
  const TestFolder folder;
  AtomicFile file = created(folder.path("a"), {});
  ASSERT_TRUE(write_new(file));
  EXPECT_FALSE(fs::exists(folder.path("a"))) << "not before the commit";
  const Status committed = file.commit();
  ASSERT_TRUE(committed) << committed.error().to_string();
  EXPECT_EQ(folder.read("a"), kNewContent);
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(AtomicFile, AGapReadsAsZerosAndTheNextPieceGoesAfterTheLast) {
  const TestFolder folder;
  AtomicFile file = created(folder.path("a"));
  ASSERT_TRUE(file.append(bytes_of("ab")));
  ASSERT_TRUE(file.write_at(5, bytes_of("fg")));
  ASSERT_TRUE(file.append(bytes_of("c")));
  ASSERT_TRUE(file.commit());
  EXPECT_EQ(folder.read("a"), (std::string{'a', 'b', 'c', '\0', '\0', 'f', 'g'}));
}

// More than is written between two looks at `cancelled`.
TEST(AtomicFile, LargePiecesArriveWhole) {
  const TestFolder folder;
  std::mt19937_64 random(1);
  const Bytes appended = random_bytes(random, (std::size_t{17} << 20) + 3);
  const Bytes inside = random_bytes(random, (std::size_t{9} << 20) + 1);
  AtomicFile file = created(folder.path("a"));
  ASSERT_TRUE(file.append(appended));
  ASSERT_TRUE(file.write_at(5, inside));
  ASSERT_TRUE(file.commit());
  Bytes expected = appended;
  std::copy(inside.begin(), inside.end(), expected.begin() + 5);
  const std::string found = folder.read("a");
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size()), 0);
}

TEST(AtomicFile, NotCommittedLeavesNothing) {
  const TestFolder folder;
  {
    AtomicFile file = created(folder.path("a"));
    ASSERT_TRUE(write_new(file));
    EXPECT_EQ(folder.names().size(), 1u) << "the temporary file";
  }
  EXPECT_EQ(folder.names(), Names{});
}

TEST(AtomicFile, NotCommittedLeavesTheOldFile) {
  const TestFolder folder;
  folder.write("a", kOldContent);
  {
    AtomicFile file = created(folder.path("a"));
    ASSERT_TRUE(write_new(file));
    EXPECT_EQ(folder.read("a"), kOldContent);
  }
  EXPECT_EQ(folder.read("a"), kOldContent);
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(AtomicFile, ARefusedCreationLeavesNothing) {
  const TestFolder folder;
  folder.write("a", kOldContent);
  const Result<AtomicFile> refused =
      AtomicFile::create(FileSystem::real(), folder.path("a"), {.if_exists = IfExists::kRefuse});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(folder.names(), Names{"a"});
}

// What was private is private on the way too.
TEST(AtomicFile, TheTemporaryFileHasTheOldFilesPermissionsFromTheStart) {
  const TestFolder folder;
  folder.write("a", kOldContent);
  fs::permissions(folder.path("a"), fs::perms(0600));
  AtomicFile file = created(folder.path("a"));
  for (const std::string& name : folder.names()) {
    EXPECT_EQ(fs::status(folder.path(name)).permissions(), fs::perms(0600)) << name;
  }
}

TEST(AtomicFile, AMovedFileIsCommittedOnce) {
  const TestFolder folder;
  AtomicFile file = created(folder.path("a"));
  ASSERT_TRUE(file.append(bytes_of("abc")));
  {
    AtomicFile moved = std::move(file);
    ASSERT_TRUE(moved.append(bytes_of("def")));
    ASSERT_TRUE(moved.commit());
  }
  EXPECT_EQ(folder.read("a"), "abcdef");
}

TEST(AtomicFile, AssigningDropsWhatWasNotCommitted) {
  const TestFolder folder;
  AtomicFile file = created(folder.path("a"));
  ASSERT_TRUE(file.append(bytes_of("dropped")));
  file = created(folder.path("b"));
  ASSERT_TRUE(file.append(bytes_of("kept")));
  ASSERT_TRUE(file.commit());
  EXPECT_EQ(folder.read("b"), "kept");
  EXPECT_EQ(folder.names(), Names{"b"});
}

TEST(AtomicFile, CancelledStopsAndCannotBeCommitted) {
  const TestFolder folder;
  folder.write("a", kOldContent);
  std::atomic<bool> cancelled = false;
  {
    AtomicFile file = created(folder.path("a"), {.if_exists = IfExists::kReplace, .cancelled = &cancelled});
    ASSERT_TRUE(file.append(bytes_of("new")));
    cancelled = true;
    const Status stopped = file.append(bytes_of("er"));
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().errno_value(), EINTR);
    cancelled = false;
    const Status committed = file.commit();
    ASSERT_FALSE(committed) << "a piece is missing";
    EXPECT_EQ(committed.error().errno_value(), EINTR);
  }
  EXPECT_EQ(folder.read("a"), kOldContent);
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(AtomicFile, CancelledStopsWriteAtToo) {
  const TestFolder folder;
  const std::atomic<bool> cancelled = true;
  AtomicFile file = created(folder.path("a"), {.cancelled = &cancelled});
  const Status stopped = file.write_at(0, bytes_of("new"));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().errno_value(), EINTR);
  EXPECT_FALSE(file.commit());
}

// A disk that has room again does not bring the lost piece back.
TEST(AtomicFile, AfterAFailedPieceEveryCallAnswersTheSame) {
  constexpr int kCallsOfCreate = 7;  // facts of the name; open, lock, two facts; create, facts
  for (const int call : {kCallsOfCreate + 1, kCallsOfCreate + 2}) {  // the append, the write_at
    const TestFolder folder;
    folder.write("a", kOldContent);
    FailingFileSystem files({.call = call, .errno_value = ENOSPC});
    {
      AtomicFile file = created(folder.path("a"), kReplaceOld, files);
      const Status appended = file.append(bytes_of("new"));
      const Status written = file.write_at(0, bytes_of("N"));
      EXPECT_EQ(appended.has_value(), call == kCallsOfCreate + 2);
      ASSERT_FALSE(written);
      EXPECT_TRUE(written.error().to_string().starts_with(folder.path("a") + " (left as it was): "))
          << written.error().to_string();
      EXPECT_EQ(written.error().errno_value(), ENOSPC);
      for (const Status& later :
           {file.append(bytes_of("er")), file.append({}), file.commit(), file.commit()}) {
        ASSERT_FALSE(later);
        EXPECT_EQ(later.error().to_string(), written.error().to_string());
      }
      EXPECT_EQ(files.calls(), call) << "nothing more was asked of the disk";
    }
    EXPECT_EQ(folder.read("a"), kOldContent);
    EXPECT_EQ(folder.names(), Names{"a"});
  }
}

// A second fsync could answer success for lost data.
TEST(AtomicFile, AFailedCommitIsNotTriedAgain) {
  const TestFolder folder;
  FailingFileSystem files({.call = 5, .errno_value = EIO});  // facts, create, write, permissions, fsync
  {
    AtomicFile file = created(folder.path("a"), kReplaceOld, files);
    ASSERT_TRUE(file.append(bytes_of("new")));
    EXPECT_FALSE(file.commit());
    EXPECT_EQ(files.failed(), "sync");
    EXPECT_FALSE(file.commit());
    EXPECT_EQ(files.calls(), 5);
  }
  EXPECT_EQ(folder.names(), Names{});
}

Status create_write_commit(FileSystem& files, const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(files, path, kReplaceOld));
  BLOOMERY_RETURN_IF_ERROR(write_new(file));
  return file.commit();
}

// Walks call = 1, 2, 3, ... until a file meets no failure; returns the calls that were fatal. When the
// directory alone cannot be synced the new file stands already, whole.
std::set<std::string> walk_commits(FailurePlan plan, const std::string& old) {
  constexpr int kCallsMax = 100;
  std::set<std::string> fatal;
  for (plan.call = 1; plan.call < kCallsMax; ++plan.call) {
    const TestFolder folder;
    if (!old.empty()) {
      folder.write("a", old);
    }
    FailingFileSystem files(plan);
    const Status status = create_write_commit(files, folder.path("a"));
    SCOPED_TRACE("call " + std::to_string(plan.call) + " (" + files.failed() + ") with " +
                 std::strerror(plan.errno_value));
    const bool replaced = status || files.failed() == "sync_directory_of";
    EXPECT_EQ(folder.read("a"), replaced ? kNewContent : old);
    if (plan.lasts == FailureLasts::kOneCall) {
      EXPECT_EQ(folder.names(), replaced || !old.empty() ? Names{"a"} : Names{});
    }
    if (files.failed().empty()) {
      return fatal;
    }
    if (!status) {
      fatal.insert(files.failed());
      EXPECT_EQ(status.error().errno_value(), plan.errno_value);
      EXPECT_NE(status.error().to_string().find(folder.path("a")), std::string::npos);
    }
  }
  ADD_FAILURE() << "a file of a few bytes makes " << kCallsMax << " calls";
  return fatal;
}

const std::set<std::string> kStepsOfAFirstCommit = {"facts of path", "create",          "write",
                                                    "write_at",      "set_permissions", "sync",
                                                    "close",         "rename_to_new",   "sync_directory_of"};
const std::set<std::string> kStepsOfAReplacingCommit = {
    "facts of path", "open",  "lock_exclusively", "facts of file",
    "create",        "write", "write_at",         "set_permissions",
    "sync",          "close", "rename",           "sync_directory_of"};

TEST(AtomicFile, OneFailureLeavesTheOldFileOrTheNewAndNoTemporary) {
  for (const int errno_value : {EIO, ENOSPC}) {
    const FailurePlan plan = {.errno_value = errno_value, .bytes_per_write_max = 5};
    EXPECT_EQ(walk_commits(plan, ""), kStepsOfAFirstCommit);
    EXPECT_EQ(walk_commits(plan, kOldContent), kStepsOfAReplacingCommit);
  }
}

// With the disk gone for good the temporary file cannot be removed.
TEST(AtomicFile, FailureForEverLeavesTheOldFile) {
  for (const int errno_value : {EIO, ENOSPC}) {
    walk_commits({.errno_value = errno_value, .lasts = FailureLasts::kForEver, .bytes_per_write_max = 5},
                 kOldContent);
  }
}

// What a caller says of the old file, which is locked meanwhile.
TEST(AtomicFile, TheOldFileIsLookedAtUnderItsLock) {
  const TestFolder folder;
  folder.write("a", kOldContent);
  int looks = 0;
  Status answer;
  const std::function<Status(const File&)> look = [&](const File& old) {
    ++looks;
    EXPECT_EQ(FileSystem::real().facts(old)->size_bytes, kOldContent.size());
    const Result<File> other = FileSystem::real().open(folder.path("a"), OpenFor::kReading);
    EXPECT_FALSE(FileSystem::real().lock_exclusively(*other));
    return answer;
  };
  const SaveOptions options{.if_exists = IfExists::kReplace, .check_old = &look};
  answer = Error::io("", "no", ESTALE);
  const auto refused = AtomicFile::create(FileSystem::real(), folder.path("a"), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().errno_value(), ESTALE);
  EXPECT_NE(refused.error().to_string().find("/a: no"), std::string::npos) << refused.error().to_string();
  EXPECT_EQ(looks, 1);
  EXPECT_EQ(folder.names(), Names{"a"});
  answer = Status();
  AtomicFile file = created(folder.path("a"), options);
  ASSERT_TRUE(write_new(file));
  EXPECT_TRUE(file.commit());
  EXPECT_EQ(folder.read("a"), kNewContent);
  AtomicFile first = created(folder.path("new"), options);
  EXPECT_TRUE(first.commit());
  EXPECT_EQ(looks, 2) << "a file that does not exist is not looked at";
}

}  // namespace
}  // namespace bloomery
