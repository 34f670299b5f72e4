// A family's list of files: each update is one step, whatever call fails and wherever a crash comes.
#include "table/layout/file_list.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "table/layout/hbase_messages_writer.h"
#include "table/layout/tracker_list.h"
#include "tests/base/failing_file_system.h"
#include "tests/base/test_folder.h"

namespace bloomery::table {
namespace {

namespace fs = std::filesystem;

const std::vector<TrackedFile> kOne = {{"0123456789abcdef0123456789abcdef", 77}};
const std::vector<TrackedFile> kTwo = {{"0123456789abcdef0123456789abcdef", 77},
                                       {"fedcba9876543210fedcba9876543210", 1}};

class FileLists : public ::testing::Test {
 protected:
  FileList open(std::int64_t now) {
    return FileList::open(FileSystem::real(), folder_.path("f"), now).value();
  }
  std::string names() const {
    std::string text;
    for (const auto& entry : fs::directory_iterator(folder_.path("f/.filelist"))) {
      text += entry.path().filename().string() + " ";
    }
    return text;
  }
  // What a reader of the folder finds.
  std::vector<TrackedFile> found() const {
    const auto lists = find_tracker_lists(FileSystem::real(), folder_.path("f/.filelist"));
    EXPECT_TRUE(lists) << lists.error().to_string();
    return lists ? lists->newest.files : std::vector<TrackedFile>();
  }
  void write(const std::string& name, const std::string& bytes) {
    folder_.write("f/.filelist/" + name, bytes);
  }
  void SetUp() override { fs::create_directories(folder_.path("f/.filelist")); }

  TestFolder folder_;
};

TEST_F(FileLists, UpdatesAlternateBetweenTwoFiles) {
  FileList list = open(1000);
  EXPECT_TRUE(list.tracked().empty());
  ASSERT_TRUE(list.update(kOne, 1000));
  EXPECT_EQ(names(), "f1.1000 ");
  ASSERT_TRUE(list.update(kTwo, 1001));
  EXPECT_EQ(names(), "f2.1000 ");
  ASSERT_TRUE(list.update({}, 1002));
  EXPECT_EQ(names(), "f1.1000 ");
  EXPECT_TRUE(found().empty());
  ASSERT_TRUE(list.update(kTwo, 1003));
  EXPECT_EQ(found(), kTwo);
  EXPECT_EQ(open(2000).tracked(), kTwo);
}

TEST_F(FileLists, NumbersAndTimesIncreaseThoughTheClockGoesBack) {
  FileList first = open(1000);
  ASSERT_TRUE(first.update(kOne, 5000));
  FileList second = open(10);
  EXPECT_EQ(second.tracked(), kOne);
  ASSERT_TRUE(second.update(kTwo, 10));
  EXPECT_EQ(names(), "f1.1001 ");
  const auto lists = find_tracker_lists(FileSystem::real(), folder_.path("f/.filelist"));
  EXPECT_EQ(lists->newest.timestamp, 5001u);
  FileList third = open(-5);
  ASSERT_TRUE(third.update(kOne, -5));
  EXPECT_EQ(found(), kOne);
}

TEST_F(FileLists, OfAllListsTheNewestIsTakenAndOthersAreRemoved) {
  const std::string old_list = write_tracker_list({.timestamp = 9, .files = kOne});
  const std::string new_list = write_tracker_list({.timestamp = 1, .files = kTwo});
  write("f1.7", old_list);
  write("f2.8", new_list);
  write(".new", "left by a crash");
  write("f1.8.crc", "of another program");
  FileList list = open(1);
  EXPECT_EQ(list.tracked(), kTwo);
  EXPECT_FALSE(fs::exists(folder_.path("f/.filelist/f1.7")));
  EXPECT_FALSE(fs::exists(folder_.path("f/.filelist/.new")));
  ASSERT_TRUE(list.update(kOne, 1));
  EXPECT_TRUE(fs::exists(folder_.path("f/.filelist/f1.9")));
  EXPECT_EQ(found(), kOne);
}

TEST_F(FileLists, DamageIsAnErrorAndNeverAnEmptyList) {
  const std::string bytes = write_tracker_list({.timestamp = 9, .files = kTwo});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    write("f1.7", damaged);
    const auto list = FileList::open(FileSystem::real(), folder_.path("f"), 1);
    EXPECT_FALSE(list) << i;
    write("f1.7", bytes.substr(0, i));
    EXPECT_FALSE(FileList::open(FileSystem::real(), folder_.path("f"), 1)) << i;
    fs::remove(folder_.path("f/.filelist/f1.7"));
  }
}

// A call that fails for ever is a process that was killed there.
TEST_F(FileLists, AfterAKillAtAnyCallTheOldOrTheNewListIsRead) {
  for (int call = 1;; ++call) {
    fs::remove_all(folder_.path("f/.filelist"));
    fs::create_directories(folder_.path("f/.filelist"));
    FileList before = open(call);
    ASSERT_TRUE(before.update(kOne, call));
    FailingFileSystem files({.call = call, .lasts = FailureLasts::kForEver, .bytes_per_write_max = 30});
    bool is_acknowledged = false;
    {
      auto list = FileList::open(files, folder_.path("f"), call);
      is_acknowledged = list && list->update(kTwo, call);
    }
    const auto now = found();
    EXPECT_TRUE(now == kTwo || (now == kOne && !is_acknowledged)) << call << " " << files.failed();
    FileList after = open(call);
    ASSERT_TRUE(after.update({}, call)) << call;
    EXPECT_TRUE(found().empty());
    if (files.failed().empty()) {
      EXPECT_GT(call, 8);
      return;
    }
  }
}

TEST_F(FileLists, AfterAnErrorEveryUpdateFails) {
  int failed = 0;
  for (int call = 1; call < 40; ++call) {
    FailingFileSystem files({.call = call});
    auto list = FileList::open(files, folder_.path("f"), call);
    if (list && !list->update(kOne, call)) {
      EXPECT_FALSE(list->update(kTwo, call)) << call;
      ++failed;
    }
  }
  EXPECT_GT(failed, 4);
}

TEST_F(FileLists, AListOfMoreThan16MegabytesIsRefused) {
  FileList list = open(1);
  std::vector<TrackedFile> many(300'000, TrackedFile{std::string(60, 'a'), 1});
  const Status updated = list.update(std::move(many), 1);
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code(), ErrorCode::kCapacity);
}

}  // namespace
}  // namespace bloomery::table
