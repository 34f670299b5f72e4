// A mark is written with each sync of the log, and synced when its policy says so, by the caller's clock.
#include "wal/log_marker.h"

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

using wal::LogMark;
using wal::LogMarker;
using wal::LogMarkFile;
using wal::MarkSync;

// Counts the syncs of files, and refuses them if asked.
class CountedSyncs final : public FileSystem {
 public:
  Status sync(const File& file) override {
    ++syncs;
    return is_refusing ? Status(Error::io(file.path(), "sync", EIO)) : FileSystem::sync(file);
  }

  int syncs = 0;
  bool is_refusing = false;
};

class LogMarkerTest : public testing::Test {
 protected:
  LogMarker marker(MarkSync policy) {
    auto file = LogMarkFile::open(files_, path_);
    EXPECT_TRUE(file) << file.error().to_string();
    return {*std::move(file), policy};
  }
  std::uint64_t length_on_disk() const { return wal::read_log_mark(FileSystem::real(), path_)->length; }

  TestFolder folder_;
  std::string path_ = folder_.path("log.mark");
  CountedSyncs files_;
};

LogMark marked(std::uint64_t length) {
  return {.length = length, .link = 7, .log = "log"};
}

TEST_F(LogMarkerTest, EachSyncOfTheLogIsWrittenAtOnce) {
  LogMarker marker = this->marker(MarkSync::kWithinASecond);
  for (std::uint64_t i = 1; i < 10; ++i) {
    ASSERT_TRUE(marker.note_sync(marked(i), 5000 + i));
    EXPECT_EQ(length_on_disk(), i);
  }
  EXPECT_EQ(files_.syncs, 0);
}

TEST_F(LogMarkerTest, TheOldestMarkIsSyncedAfterASecond) {
  LogMarker marker = this->marker(MarkSync::kWithinASecond);
  EXPECT_FALSE(marker.due_ms());
  ASSERT_TRUE(marker.note_sync(marked(1), 5000));
  ASSERT_TRUE(marker.note_sync(marked(2), 5900));
  EXPECT_EQ(marker.due_ms(), 6000u);
  ASSERT_TRUE(marker.tick(5999));
  EXPECT_EQ(files_.syncs, 0);
  ASSERT_TRUE(marker.tick(6000));
  EXPECT_EQ(files_.syncs, 1);
  EXPECT_FALSE(marker.due_ms());
  ASSERT_TRUE(marker.tick(9000));  // nothing to sync
  EXPECT_EQ(files_.syncs, 1);
}

TEST_F(LogMarkerTest, ABusyLogNeedsNoTick) {
  LogMarker marker = this->marker(MarkSync::kWithinASecond);
  for (std::uint64_t ms = 0; ms <= 10'000; ++ms) {
    ASSERT_TRUE(marker.note_sync(marked(ms + 1), ms));
  }
  EXPECT_EQ(files_.syncs, 9);  // each at the 1001st mark after the one before
}

TEST_F(LogMarkerTest, WithTheOptionEachMarkIsSynced) {
  LogMarker marker = this->marker(MarkSync::kAtOnce);
  for (std::uint64_t i = 1; i < 10; ++i) {
    ASSERT_TRUE(marker.note_sync(marked(i), 5000));
    EXPECT_EQ(files_.syncs, static_cast<int>(i));
    EXPECT_FALSE(marker.due_ms());
  }
}

TEST_F(LogMarkerTest, TheLastMarkIsSyncedBeforeTheLogIsClosed) {
  LogMarker marker = this->marker(MarkSync::kWithinASecond);
  ASSERT_TRUE(marker.sync());
  EXPECT_EQ(files_.syncs, 0);
  ASSERT_TRUE(marker.note_sync(marked(1), 0));
  ASSERT_TRUE(marker.sync());
  EXPECT_EQ(files_.syncs, 1);
  EXPECT_FALSE(marker.due_ms());
}

TEST_F(LogMarkerTest, ARefusedSyncIsAnErrorAndStaysDue) {
  LogMarker marker = this->marker(MarkSync::kWithinASecond);
  ASSERT_TRUE(marker.note_sync(marked(1), 0));
  files_.is_refusing = true;
  EXPECT_FALSE(marker.tick(1000));
  EXPECT_EQ(marker.due_ms(), 1000u);
  EXPECT_FALSE(marker.note_sync(marked(2), 1001));
  files_.is_refusing = false;
  EXPECT_TRUE(marker.tick(1002));
  EXPECT_FALSE(marker.due_ms());
}

}  // namespace
}  // namespace bloomery
