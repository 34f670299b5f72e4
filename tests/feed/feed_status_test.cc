// What a feeder says of itself is written whole, and leaves nothing behind where it cannot be written.
#include "feed/feed_status.h"

#include <csignal>
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

}  // namespace
}  // namespace bloomery::feed
