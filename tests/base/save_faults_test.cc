// Saving on a disk that fails: every call of a save fails once, with every cause, and each time for ever
// after.
#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "failing_file_system.h"
#include "test_bytes.h"
#include "test_folder.h"

namespace bloomery {
namespace {

const std::string kSavedWhole = "the new bytes, more of them";

enum class Before { kNothing, kOldFile };

constexpr int kCallsMax = 100;  // no save of kSavedWhole makes so many: the walk ends

// What a save came to whose call number `plan.call` failed.
struct Outcome {
  Status status;
  std::string failed;  // the call; empty when the save was through before
  std::string content;
  Names names;
};

Outcome save_with(const FailurePlan& plan, Before before) {
  const TestFolder folder;
  if (before == Before::kOldFile) {
    folder.write("a", kOldContent);
  }
  FailingFileSystem files(plan);
  const std::span<const std::byte> parts[] = {bytes_of(kSavedWhole)};
  Status status = save_atomically(files, folder.path("a"), parts, {.if_exists = IfExists::kReplace});
  if (!status) {
    EXPECT_NE(status.error().to_string().find(folder.path("a")), std::string::npos)
        << "the file is not named: " << status.error().to_string();
  }
  return {std::move(status), files.failed(), folder.read("a"), folder.names()};
}

// The calls that failed, by what became of the save.
struct Walked {
  std::set<std::string> fatal;
  std::set<std::string> harmless;
};

// Walks call = 1, 2, 3, ... until a save meets no failure. A save that says it is done must be done.
template <typename Check>
Walked walk_saves(FailurePlan plan, Before before, const Check& check) {
  Walked walked;
  for (plan.call = 1; plan.call < kCallsMax; ++plan.call) {
    const Outcome outcome = save_with(plan, before);
    SCOPED_TRACE("call " + std::to_string(plan.call) + " (" + outcome.failed + ") with " +
                 std::strerror(plan.errno_value));
    if (outcome.status) {
      EXPECT_EQ(outcome.content, kSavedWhole);
      EXPECT_EQ(outcome.names, Names{"a"});
    } else {
      check(outcome);
    }
    if (outcome.failed.empty()) {
      return walked;
    }
    (outcome.status ? walked.harmless : walked.fatal).insert(outcome.failed);
  }
  ADD_FAILURE() << "a save of a few bytes makes " << kCallsMax << " calls";
  return walked;
}

// The one exception: when the directory cannot be synced the new file stands already, whole, but a crash may
// bring the old one back.
void expect_old_or_whole(const Outcome& outcome, Before before) {
  if (outcome.failed == "sync_directory_of") {
    EXPECT_EQ(outcome.content, kSavedWhole);
  } else {
    EXPECT_EQ(outcome.content, before == Before::kOldFile ? kOldContent : "");
  }
}

void expect_nothing_but_the_file(const Outcome& outcome, Before before) {
  const bool there = before == Before::kOldFile || outcome.failed == "sync_directory_of";
  EXPECT_EQ(outcome.names, there ? Names{"a"} : Names{});
}

void expect_says_what_failed(const Outcome& outcome, int errno_value) {
  ASSERT_FALSE(outcome.status);
  EXPECT_EQ(outcome.status.error().errno_value(), errno_value);
  EXPECT_EQ(outcome.status.error().code(), ErrorCode::kIo);
  EXPECT_NE(outcome.status.error().detail().find(std::strerror(errno_value)), std::string::npos);
}

const std::set<std::string> kStepsOfAFirstSave = {
    "facts of path", "create", "write",         "set_permissions",
    "sync",          "close",  "rename_to_new", "sync_directory_of"};
// Those with an old file, which is locked meanwhile.
const std::set<std::string> kStepsOfAReplacement = {
    "facts of path", "open",  "lock_exclusively", "facts of file",    "create", "write", "set_permissions",
    "sync",          "close", "rename",           "sync_directory_of"};
// Closing the directory, read only and synced, or the old file, can lose nothing.
const std::set<std::string> kHarmless = {"close"};

TEST(SaveFaults, OneFailureLeavesTheOldFileAndNoTemporary) {
  for (const int errno_value : {EIO, ENOSPC, EDQUOT, EROFS, EACCES}) {
    const FailurePlan plan = {.errno_value = errno_value, .bytes_per_write_max = 10};
    const Walked walked = walk_saves(plan, Before::kOldFile, [&](const Outcome& outcome) {
      expect_says_what_failed(outcome, errno_value);
      expect_old_or_whole(outcome, Before::kOldFile);
      expect_nothing_but_the_file(outcome, Before::kOldFile);
    });
    EXPECT_EQ(walked.fatal, kStepsOfAReplacement);
    EXPECT_EQ(walked.harmless, kHarmless);
  }
}

TEST(SaveFaults, OneFailureOfAFirstSaveLeavesNothing) {
  const FailurePlan plan = {.errno_value = ENOSPC, .bytes_per_write_max = 10};
  const Walked walked = walk_saves(plan, Before::kNothing, [](const Outcome& outcome) {
    expect_says_what_failed(outcome, ENOSPC);
    expect_old_or_whole(outcome, Before::kNothing);
    expect_nothing_but_the_file(outcome, Before::kNothing);
  });
  EXPECT_EQ(walked.fatal, kStepsOfAFirstSave);
  EXPECT_EQ(walked.harmless, kHarmless);
}

// With the disk gone for good not even the temporary file can be removed; the old file is whole all the same,
// and the error is that of the first failure.
TEST(SaveFaults, FailureForEverLeavesTheOldFile) {
  const FailurePlan plan = {.errno_value = EIO, .lasts = FailureLasts::kForEver, .bytes_per_write_max = 10};
  walk_saves(plan, Before::kOldFile, [](const Outcome& outcome) {
    expect_says_what_failed(outcome, EIO);
    expect_old_or_whole(outcome, Before::kOldFile);
  });
}

// EEXIST means "try another name" for the creation alone: anywhere else it is a failure like any other.
TEST(SaveFaults, EexistIsSteppedOverOnlyInTheCreation) {
  const Walked walked = walk_saves({.errno_value = EEXIST}, Before::kOldFile, [](const Outcome& outcome) {
    expect_says_what_failed(outcome, EEXIST);
    expect_old_or_whole(outcome, Before::kOldFile);
    expect_nothing_but_the_file(outcome, Before::kOldFile);
  });
  EXPECT_EQ(walked.harmless, (std::set<std::string>{"close", "create"}));
  EXPECT_FALSE(walked.fatal.contains("create"));
}

// A directory in which every temporary name is taken must not be searched for ever.
TEST(SaveFaults, GivesUpWhenNoTemporaryNameIsFree) {
  const Outcome outcome =
      save_with({.call = 2, .errno_value = EEXIST, .lasts = FailureLasts::kForEver}, Before::kNothing);
  EXPECT_EQ(outcome.failed, "create");
  expect_says_what_failed(outcome, EEXIST);
  EXPECT_EQ(outcome.content, "");
}

}  // namespace
}  // namespace bloomery
