// Running a feeder as a service: its file of settings, SIGHUP, its log, its health check, and what systemd is told.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/feed/feed_suite.h"

namespace bloomery {
namespace {

class FeedOperations : public FeedSuite {
 protected:
  void SetUp() override {
    FeedSuite::SetUp();
    if (!IsSkipped()) {
      sql("CREATE TABLE t (k text PRIMARY KEY)");
      sql("INSERT INTO t SELECT 'old' || i FROM generate_series(1, 3000) i");
      sql("CREATE PUBLICATION bloomery FOR TABLE t");
    }
  }
  // Writes settings whose section t is the feeder of FeedSuite::words(), and `more`.
  void write_settings(const std::string& more, const std::string& shared = "") {
    folder.write(
        "feed.conf",
        "# all feeders\ndb = \"" + url + "\"\nbound = \"2s\"\nsave = \"50ms\"\n" + shared +
            "\n[other]\ntable = \"others\"\nkey = \"id\"\n[t]\ntable = \"t\"\nkey = \"k\"\nfile = \"" + path +
            "\"\nslot = \"feed\"\nstatus = \"" + folder.path("status") + "\"\nunkeyed = true\n" + more);
  }
  std::vector<std::string> by_settings(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"--config", folder.path("feed.conf"), "--section", "t", "--watch", "50ms"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void feed_by_settings(const std::vector<std::string>& more = {}) {
    feeder = std::make_unique<RunningFeeder>(folder, by_settings(more));
    ASSERT_TRUE(feeder->says("active")) << feeder->log();
  }
  std::string refused_settings() {
    std::filesystem::remove(folder.path("feed.log"));
    RunningFeeder refused(folder, by_settings());
    EXPECT_EQ(refused.wait(), 2) << refused.log();
    return refused.log();
  }
  // Returns the exit status of --check, whose words are then in `said`.
  int check(const std::string& status) {
    const int ended = std::system((std::string(BLOOMERY_COMMAND " feed postgres --check --status ") + status +
                                   " > " + folder.path("said") + " 2>&1")
                                      .c_str());
    said = folder.read("said");
    return WEXITSTATUS(ended);
  }
  static testing::AssertionResult has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos ? testing::AssertionSuccess()
                                                : testing::AssertionFailure() << "'" << text << "'";
  }

  std::string said;
};

TEST_F(FeedOperations, ASectionOfAFileOfSettingsIsAFeeder) {
  write_settings("rebuild-after = 100\n", "rebuild-share = 100\n");
  feed_by_settings();
  auto opened = LeasedFilter::open(path, {});
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_TRUE(comes_true([&] { return opened->state().holds; }));
  EXPECT_TRUE(opened->may_contain("old1"));
  sql("DELETE FROM t WHERE k LIKE 'old1%'");
  EXPECT_TRUE(feeder->says("rows were deleted")) << "rebuild-after is of the section";
}

TEST_F(FeedOperations, TheCommandLineHasPrecedenceOverTheSectionAndThatOverAll) {
  write_settings("publication = \"none\"\n", "publication = \"neither\"\n");
  EXPECT_TRUE(has(refused_settings(), "CREATE PUBLICATION \"none\""));
  feed_by_settings({"--publication", "bloomery"});
}

TEST_F(FeedOperations, WrongSettingsAreNamedWithTheirLine) {
  write_settings("rebuild-afer = 100\n");
  EXPECT_TRUE(has(refused_settings(),
                  "feed.conf: line 16: expected the long name of an option, found "
                  "'rebuild-afer'; did you mean rebuild-after?"));
  write_settings("slot = \"again\"\n");
  EXPECT_TRUE(has(refused_settings(), "line 16: expected slot once in a section"));
  write_settings("rebuild-share = \"much\"\n");
  EXPECT_TRUE(has(refused_settings(), "line 16: rebuild-share"));
  write_settings("", "config = \"other\"\n");
  EXPECT_TRUE(has(refused_settings(), "line 5: expected the long name of an option, found 'config'"));
  write_settings("bound = \"often\"\n");
  EXPECT_TRUE(has(refused_settings(), "--bound"));
  folder.write("feed.conf", "[x]\ntable = \"t\"\n");
  EXPECT_TRUE(has(refused_settings(), "feed.conf: expected the section [t], found none"));
  std::filesystem::remove(folder.path("feed.conf"));
  EXPECT_TRUE(has(refused_settings(), "feed.conf"));
}

TEST_F(FeedOperations, SighupReadsTheSettingsAgain) {
  write_settings("");
  feed_by_settings();
  write_settings("rebuild-after = 100\n");
  feeder->signal(SIGHUP);
  EXPECT_TRUE(feeder->says("reloaded the settings; changed: rebuild-after")) << feeder->log();
  sql("DELETE FROM t WHERE k LIKE 'old1%'");
  EXPECT_TRUE(feeder->says("rows were deleted")) << feeder->log();
  write_settings("rebuild-after = 100\nkey-form = \"hex\"\n");
  feeder->signal(SIGHUP);
  EXPECT_TRUE(feeder->says("these settings need a restart: key-form")) << feeder->log();
  write_settings("rebuild-afer = 100\n");
  feeder->signal(SIGHUP);
  EXPECT_TRUE(feeder->says("the settings were not reloaded: ")) << feeder->log();
  EXPECT_EQ(check(folder.path("status")), 0) << said;
  EXPECT_EQ(feeder->end(SIGTERM), 0);
}

TEST_F(FeedOperations, AHealthCheckHasAnExitStatus) {
  write_settings("");
  feed_by_settings();
  EXPECT_TRUE(comes_true([&] { return check(folder.path("status")) == 0; })) << said;
  EXPECT_TRUE(has(said, "active; 3000 keys, lag ")) << said;
  feeder->end(SIGKILL);
  EXPECT_TRUE(comes_true([&] { return check(folder.path("status")) == 1; })) << said;
  EXPECT_TRUE(has(said, "gone: the last status is ")) << said;
  feeder->start();
  EXPECT_TRUE(comes_true([&] { return check(folder.path("status")) == 0; })) << said;
  feeder->end(SIGTERM);
  EXPECT_EQ(check(folder.path("status")), 1);
  EXPECT_TRUE(has(said, "stopped")) << said;
  EXPECT_EQ(check(folder.path("missing")), 2) << said;
  EXPECT_EQ(check(folder.path("feed.conf")), 3) << said;
}

TEST_F(FeedOperations, TheLogHasTimeAndLevelAndIsJsonOnRequest) {
  write_settings("");
  feed_by_settings();
  EXPECT_TRUE(has(feeder->log(), "Z info bloomery feed postgres: active")) << feeder->log();
  feeder->end(SIGTERM);
  std::filesystem::remove(folder.path("feed.log"));
  feed_by_settings({"--log-format", "json"});
  feeder->end(SIGTERM);
  EXPECT_EQ(std::system(("jq -e .message " + folder.path("feed.log") + " > /dev/null").c_str()), 0)
      << feeder->log();
  EXPECT_TRUE(has(feeder->log(), "\"level\":\"info\"")) << feeder->log();
}

// The socket of a service manager.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : descriptor_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    is_open_ = ::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    ::setenv("WATCHDOG_USEC", "400000", 1);
  }
  ~NotifySocket() {
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("WATCHDOG_USEC");
    ::close(descriptor_);
  }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  bool is_open() const { return is_open_; }
  // Appends what has arrived to text().
  bool hears(const std::string& part) {
    std::array<char, 4096> bytes;
    for (ssize_t got = 0; (got = ::recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT)) > 0;) {
      text_.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return text_.find(part) != std::string::npos;
  }
  void forget() {
    (void)hears("");
    text_.clear();
  }
  const std::string& text() const { return text_; }

 private:
  int descriptor_;
  bool is_open_ = false;
  std::string text_;
};

TEST_F(FeedOperations, TheServiceManagerIsTold) {
  NotifySocket manager(folder.path("notify"));
  ASSERT_TRUE(manager.is_open());
  write_settings("");
  feed_by_settings();
  EXPECT_TRUE(comes_true([&] { return manager.hears("READY=1"); }));
  EXPECT_TRUE(comes_true([&] { return manager.hears("STATUS=active"); })) << manager.text();
  EXPECT_TRUE(comes_true([&] { return manager.hears("WATCHDOG=1"); })) << manager.text();
  manager.forget();
  EXPECT_TRUE(comes_true([&] { return manager.hears("WATCHDOG=1"); })) << "it comes again";
  feeder->signal(SIGHUP);
  EXPECT_TRUE(comes_true([&] { return manager.hears("RELOADING=1\nMONOTONIC_USEC="); })) << manager.text();
  EXPECT_TRUE(comes_true([&] { return manager.hears("READY=1"); })) << manager.text();
  feeder->end(SIGTERM);
  EXPECT_TRUE(manager.hears("STOPPING=1")) << manager.text();
}

// A database that is away is no reason to restart the feeder.
TEST_F(FeedOperations, AFeederThatWaitsIsReadyAndAlive) {
  NotifySocket manager(folder.path("notify"));
  ASSERT_TRUE(manager.is_open());
  url = "host=" + folder.path("nowhere") + " user=postgres dbname=postgres";
  write_settings("");
  feeder = std::make_unique<RunningFeeder>(folder, by_settings());
  EXPECT_TRUE(comes_true([&] { return manager.hears("READY=1\nSTATUS=waiting: "); })) << manager.text();
  manager.forget();
  EXPECT_TRUE(comes_true([&] { return manager.hears("WATCHDOG=1"); }));
}

TEST_F(FeedOperations, TheUnitIsValid) {
  if (std::system("command -v systemd-analyze >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "SKIPPED: systemd-analyze is not installed";
  }
  const std::string unit = folder.path("bloomery-feed@users.service");
  const int ended =
      std::system(("sed 's|^ExecStart=[^ ]*|ExecStart=" BLOOMERY_COMMAND "|' " BLOOMERY_SOURCE
                   "/packaging/systemd/bloomery-feed@.service.in > " +
                   unit + " && systemd-analyze verify --man=no " + unit + " 2> " + folder.path("found"))
                      .c_str());
  EXPECT_EQ(ended, 0) << folder.read("found");
  EXPECT_EQ(folder.read("found"), "");
}

TEST_F(FeedOperations, TwoFeedersOfOneFileAreOneTooMany) {
  write_settings("");
  feed_by_settings();
  std::filesystem::remove(folder.path("feed.log"));
  RunningFeeder second(folder, by_settings({"--status", folder.path("second")}));
  EXPECT_TRUE(second.says("waiting: " + path + ": in use: another process updates or replaces it"));
  EXPECT_TRUE(comes_true([&] { return check(folder.path("status")) == 0; })) << said;
  EXPECT_TRUE(comes_true([&] { return check(folder.path("second")) == 1; })) << said;
  EXPECT_TRUE(has(said, "waiting: ")) << said;
}

}  // namespace
}  // namespace bloomery
