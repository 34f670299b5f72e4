// What a feeder says of itself is written whole, and leaves nothing behind where it cannot be written.
#include "feed/feed_status.h"

#include <csignal>
#include <ctime>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/base/test_folder.h"

namespace bloomery::feed {
namespace {

// While it lives no file of this process can grow, as on a full disk.
class NoRoom {
 public:
  NoRoom() {
    before_ = std::signal(SIGXFSZ, SIG_IGN);
    (void)::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit none{.rlim_cur = 0, .rlim_max = limit_.rlim_max};
    (void)::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~NoRoom() {
    (void)::setrlimit(RLIMIT_FSIZE, &limit_);
    (void)std::signal(SIGXFSZ, before_);
  }
  NoRoom(const NoRoom&) = delete;
  NoRoom& operator=(const NoRoom&) = delete;

 private:
  rlimit limit_{};
  void (*before_)(int) = nullptr;
};

// A feeder on a full disk left an empty file with a random name for each status and each file of metrics, twice a second.
TEST(WriteWhole, LeavesNothingWhereThereIsNoRoom) {
  const TestFolder folder;
  folder.write("status", "old");
  bool is_written = true;
  {
    const NoRoom full;
    is_written = static_cast<bool>(write_whole(folder.path("status"), "new"));
  }
  EXPECT_FALSE(is_written);
  EXPECT_EQ(folder.read("status"), "old");
  const std::filesystem::directory_iterator files(folder.path(""));
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  EXPECT_TRUE(write_whole(folder.path("status"), "new"));
  EXPECT_EQ(folder.read("status"), "new");
}

// The file cannot be put in the place of a folder.
TEST(WriteWhole, LeavesNothingWhereTheNameIsTaken) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path("status"));
  EXPECT_FALSE(write_whole(folder.path("status"), "new"));
  const std::filesystem::directory_iterator files(folder.path(""));
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

// A health check reads what the feeder wrote, and believes no old text.
TEST(FeedHealth, IsGoodWhileANoCounts) {
  FeedStatus status;
  status.state = FeedState::kActive;
  status.bound_seconds = 5;
  status.record.keys = 42;
  const std::string active = status_json(status);
  const std::int64_t now = std::time(nullptr);
  ASSERT_TRUE(health_of(active, now));
  EXPECT_TRUE(health_of(active, now)->is_good);
  EXPECT_EQ(health_of(active, now)->sentence,
            "active; 42 keys, lag 0.0 s of 5 s, the slot holds 0 bytes of the log");
  EXPECT_TRUE(health_of(active, now + 5)->is_good);
  EXPECT_FALSE(health_of(active, now + 8)->is_good);
  for (const FeedState state :
       {FeedState::kLoading, FeedState::kStale, FeedState::kWaiting, FeedState::kStopped}) {
    status.state = state;
    status.reason = "why";
    EXPECT_FALSE(health_of(status_json(status), now)->is_good);
    EXPECT_NE(health_of(status_json(status), now)->sentence.find(": why; "), std::string::npos);
  }
  for (const std::string text : {"", "{", "[]", "null", "{\"state\": 1}", "{\"state\": \"active\"}"}) {
    EXPECT_FALSE(health_of(text, now)) << text;
  }
}

}  // namespace
}  // namespace bloomery::feed
