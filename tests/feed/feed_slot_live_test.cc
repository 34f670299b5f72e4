// Which slot a feeder has, and how much of the server's log that may hold: with a live server.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/feed/feed_suite.h"

namespace bloomery {
namespace {

class FeedSlot : public FeedSuite {
 protected:
  void SetUp() override {
    FeedSuite::SetUp();
    if (!server) {
      return;
    }
    sql("CREATE TABLE t (k text PRIMARY KEY)");
    sql("CREATE PUBLICATION bloomery FOR TABLE t");
    sql("INSERT INTO t VALUES ('one')");
  }
  static std::string slots() {
    return (*server)(
        "SELECT coalesce(string_agg(slot_name, ' ' ORDER BY slot_name), '') FROM pg_replication_slots");
  }
  // Moves the end of the log by some segments of 16 MB.
  static void grow_log() {
    for (int i = 0; i < 4; ++i) {
      EXPECT_NE((*server)("SELECT pg_logical_emit_message(true, 'test', 'text')"), "");
      EXPECT_NE((*server)("SELECT pg_switch_wal()"), "");
    }
  }
  // Moves the leased file with all that belongs to it.
  void move_to(const std::string& to) {
    std::filesystem::create_directories(std::filesystem::path(to).parent_path());
    for (const char* const suffix : {"", ".key", ".1"}) {
      std::filesystem::rename(path + suffix, to + suffix);
    }
    path = to;
    filter.reset();
  }
  bool is_active_with(const std::string& key) {
    return comes_true([&] {
      const auto opened = LeasedFilter::open(path);
      return opened && opened->state().holds && opened->may_contain(key) && !opened->may_contain("stranger");
    });
  }
  // Starts the feeder anew with other words.
  void restart(const std::vector<std::string>& more) {
    feeder->end(SIGTERM);
    feeder = std::make_unique<RunningFeeder>(folder, words(more));
  }
  std::uint64_t generation() const { return LeasedFilter::open(path)->state().generation; }

  const std::vector<std::string> key_of_t{"--key", "k", "-p", "1e-6"};
};

// The name was made of FILE's, so a file that was moved left a slot behind which held the log for ever.
TEST_F(FeedSlot, AFileThatIsMovedKeepsItsSlot) {
  slot.clear();
  feed(key_of_t);
  const std::string name = slots();
  EXPECT_TRUE(name.starts_with("bloomery_t_")) << name;
  EXPECT_EQ(name.find("leased"), std::string::npos) << name;
  feeder->end(SIGTERM);
  sql("INSERT INTO t VALUES ('while it was moved')");
  move_to(folder.path("elsewhere/u.leased"));
  feed(key_of_t);
  EXPECT_TRUE(is_in("while it was moved")) << feeder->log();
  EXPECT_EQ(slots(), name) << feeder->log();
  EXPECT_EQ(generation(), 1U) << "nothing was missed, so nothing is built anew: " << feeder->log();
}

// They had one slot, and each moved it on over what the other had not got.
TEST_F(FeedSlot, TwoFilesThatAreCalledAlikeHaveTwoSlots) {
  slot.clear();
  std::filesystem::create_directory(folder.path("other"));
  feed(key_of_t);
  path = folder.path("other/t.leased");
  RunningFeeder second(folder, words(key_of_t));
  EXPECT_TRUE(is_active_with("one")) << second.log();
  EXPECT_EQ((*server)("SELECT count(*) FROM pg_replication_slots WHERE active"), "2") << second.log();
}

// Its page has zeros where the name is noted.
TEST_F(FeedSlot, AFileOfAnEarlierVersionKeepsTheSlotOfItsName) {
  slot = "bloomery_t_t_leased";
  feed(key_of_t);
  feeder->end(SIGTERM);
  const std::string noted = folder.read("t.leased");
  std::string earlier = noted;
  earlier.replace(96, 68, std::string(68, '\0'));
  folder.write("t.leased", earlier);
  sql("INSERT INTO t VALUES ('while away')");
  slot.clear();
  feeder = std::make_unique<RunningFeeder>(folder, words(key_of_t));
  EXPECT_TRUE(is_active_with("while away")) << feeder->log();
  EXPECT_EQ(slots(), "bloomery_t_t_leased");
  EXPECT_EQ(generation(), 1U) << feeder->log();
  feeder->end(SIGTERM);
  EXPECT_EQ(folder.read("t.leased").substr(96, 68), noted.substr(96, 68)) << "it is noted from now on";
  move_to(folder.path("elsewhere/u.leased"));
  feed(key_of_t);
  EXPECT_EQ(slots(), "bloomery_t_t_leased");
}

TEST_F(FeedSlot, AnotherSlotIsNotedAndTheOneOfBeforeIsNamed) {
  slot = "first";
  feed(key_of_t);
  slot = "second";
  restart(key_of_t);
  EXPECT_TRUE(comes_true([&] { return generation() == 2 && filter->state().holds; })) << feeder->log();
  EXPECT_NE(feeder->log().find("pg_drop_replication_slot('first')"), std::string::npos) << feeder->log();
  EXPECT_EQ(slots(), "first second");
  EXPECT_EQ((*server)("SELECT pg_drop_replication_slot('first')"), "");
  folder.write("feed.log", "");
  slot.clear();
  restart(key_of_t);
  EXPECT_TRUE(is_active_with("one")) << feeder->log();
  EXPECT_EQ(slots(), "second");
  EXPECT_EQ(generation(), 2U) << feeder->log();
  EXPECT_EQ(feeder->log().find("warning: " + path), std::string::npos) << feeder->log();
}

TEST_F(FeedSlot, DropFindsTheSlotThatTheFileNotes) {
  slot.clear();
  feed(key_of_t);
  feeder->end(SIGTERM);
  const std::string name = slots();
  slot = "typo";
  EXPECT_NE(refusal({"--drop"}).find("expected the slot that it is fed from, " + name), std::string::npos)
      << folder.read("feed.log");
  EXPECT_TRUE(std::filesystem::exists(path));
  slot.clear();
  RunningFeeder dropped(folder, words({"--drop"}));
  EXPECT_EQ(dropped.wait(), 0) << dropped.log();
  EXPECT_EQ(slots(), "");
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_NE(refusal({"--drop"}).find("name the slot (--slot)"), std::string::npos)
      << "nobody knows which slot it was: " << folder.read("feed.log");
  folder.write("t.leased", "precious");
  EXPECT_NE(refusal({"--drop"}).find("leased file"), std::string::npos) << folder.read("feed.log");
  EXPECT_EQ(folder.read("t.leased"), "precious");
}

// It held the log until the disk was full, for a feeder that could not go on.
TEST_F(FeedSlot, AFeederThatWaitsDropsASlotThatHoldsTooMuch) {
  std::vector<std::string> more = key_of_t;
  more.insert(more.end(), {"--max-log", "16M", "--status", folder.path("status")});
  feed(more);
  sql("DROP PUBLICATION bloomery");
  EXPECT_TRUE(comes_true([&] { return folder.read("status").find("\"waiting\"") != std::string::npos; }));
  EXPECT_EQ(slots(), "feed") << "it may hold a little: " << feeder->log();
  grow_log();
  EXPECT_TRUE(comes_true([] { return slots().empty(); })) << feeder->log();
  EXPECT_TRUE(feeder->says("more than the 16777216 of --max-log")) << feeder->log();
  EXPECT_FALSE(filter->state().holds);
  EXPECT_TRUE(filter->may_contain("stranger"));
  sql("INSERT INTO t VALUES ('unpublished')");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  EXPECT_TRUE(is_active_with("unpublished")) << feeder->log();
  EXPECT_EQ(slots(), "feed");
  EXPECT_NE(folder.read("status").find("\"held_bytes\""), std::string::npos);
}

TEST_F(FeedSlot, ASlotThatHeldTooMuchWhileTheFeederWasAwayIsMadeAnew) {
  std::vector<std::string> more = key_of_t;
  more.insert(more.end(), {"--max-log", "1G"});
  feed(more);
  feeder->end(SIGKILL);
  sql("INSERT INTO t VALUES ('while away')");
  grow_log();
  feeder->start();
  EXPECT_TRUE(is_active_with("while away")) << feeder->log();
  EXPECT_EQ(generation(), 1U) << "it may hold so much: " << feeder->log();
  more.back() = "16M";
  feeder->end(SIGTERM);
  grow_log();
  sql("INSERT INTO t VALUES ('away again')");
  feeder = std::make_unique<RunningFeeder>(folder, words(more));
  EXPECT_TRUE(is_active_with("away again")) << feeder->log();
  EXPECT_EQ(generation(), 2U) << feeder->log();
  EXPECT_NE(feeder->log().find("--max-log"), std::string::npos) << feeder->log();
  EXPECT_EQ(
      (*server)(
          "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) < 16777216 FROM pg_replication_slots"),
      "t");
}

// What a slot holds is moved on by the server, about four times a minute. That is no fault of the feeder.
TEST_F(FeedSlot, AFeederThatKeepsUpIsLeftAlone) {
  std::vector<std::string> more = key_of_t;
  more.insert(more.end(), {"--max-log", "1M"});
  feed(more);
  grow_log();
  for (const char* const key : {"a", "b", "c", "d", "e"}) {
    sql("INSERT INTO t VALUES ('" + std::string(key) + "')");
    EXPECT_TRUE(is_in(key)) << feeder->log();
  }
  EXPECT_EQ(generation(), 1U) << feeder->log();
}

// No server is asked for these.
TEST(FeedOptions, LimitsAndSlotsThatAreNoneAreRefused) {
  struct Case {
    std::vector<std::string> words;
    const char* found;
  };
  const std::vector<Case> cases{
      {{"--max-log", "much"}, "--max-log"},       {{"--max-log", "0"}, "expected 1M or more, found 0"},
      {{"--max-log", "1023K"}, "found 1023K"},    {{"--max-log", "-5M"}, "--max-log"},
      {{"--max-log", "2E"}, "--max-log"},         {{"--max-log", "99999999999T"}, "--max-log"},
      {{"--slot", "Feed"}, "found 'Feed'"},       {{"--slot", "a b"}, "small letters"},
      {{"--slot", "x'); DROP"}, "small letters"}, {{"--slot", std::string(64, 'a')}, "at most 63"},
  };
  const TestFolder folder;
  for (const Case& one : cases) {
    folder.write("feed.log", "");
    std::vector<std::string> words{"--table", "t", "--key", "k", "--file", folder.path("t.leased")};
    words.insert(words.end(), one.words.begin(), one.words.end());
    RunningFeeder refused(folder, words);
    EXPECT_EQ(refused.wait(), 2) << one.words.back();
    EXPECT_NE(refused.log().find(one.found), std::string::npos) << refused.log();
    EXPECT_FALSE(std::filesystem::exists(folder.path("t.leased")));
    EXPECT_FALSE(std::filesystem::exists(folder.path("t.leased.key"))) << "what is refused leaves no secret";
  }
}

}  // namespace
}  // namespace bloomery
