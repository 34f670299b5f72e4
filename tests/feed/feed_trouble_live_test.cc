// `bloomery feed postgres` with a live server that is in trouble: it is silent, it was promoted, it has dropped the log of the
// slot, it keeps commits in memory. And one that waits for the feeder at each commit.
#include <chrono>
#include <csignal>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/feed/feed_suite.h"

namespace bloomery {
namespace {

class FeedTrouble : public FeedSuite {
 protected:
  static void SetUpTestSuite() {
    if (!LivePostgres::programs().empty()) {
      // So little log is kept that a slot can be lost. Commits that do not wait are written after 10 s.
      server = std::make_unique<LivePostgres>(
          "max_slot_wal_keep_size = '1MB'\nmin_wal_size = '32MB'\nmax_wal_size = '32MB'\nwal_writer_delay = "
          "'10s'");
    }
  }
  void SetUp() override {
    FeedSuite::SetUp();
    if (!server) {
      return;
    }
    sql("CREATE TABLE t (k text PRIMARY KEY)");
    sql("CREATE PUBLICATION bloomery FOR TABLE t");
    sql("INSERT INTO t VALUES ('one')");
  }
  // Whether the filter answers again, and denies.
  bool answers_again() const {
    return comes_true([&] { return filter->state().holds && !filter->may_contain("stranger"); });
  }
};

TEST_F(FeedTrouble, ASilentServerLetsTheLeaseRunOut) {
  feed({"--key", "k", "-p", "1e-6", "--patience", "1s"});
  EXPECT_FALSE(filter->may_contain("stranger"));
  server->signal(SIGSTOP);
  EXPECT_TRUE(comes_true([&] { return !filter->state().holds; }, 10)) << feeder->log();
  EXPECT_TRUE(filter->may_contain("stranger"));
  server->signal(SIGCONT);
  EXPECT_TRUE(answers_again()) << feeder->log();
  EXPECT_EQ(filter->state().generation, 1u)
      << "nothing was missed, so nothing is built anew: " << feeder->log();
}

// A commit that nobody waits for is visible to everybody, and is not in the log that is sent until it is flushed.
TEST_F(FeedTrouble, ACommitThatStaysInMemoryIsInWithinTheBound) {
  feed({"--key", "k", "-p", "1e-6"});
  sql("ALTER ROLE postgres SET synchronous_commit = off");
  for (const char* const key : {"first", "second", "third"}) {
    sql("INSERT INTO t VALUES ('" + std::string(key) + "')");
    EXPECT_TRUE(comes_true([&] { return filter->may_contain(key); }, 2)) << key << feeder->log();
    EXPECT_TRUE(is_in(key)) << feeder->log();
  }
  sql("ALTER ROLE postgres RESET synchronous_commit");
}

TEST_F(FeedTrouble, ASynchronousCommitIsInBeforeItReturns) {
  feed({"--key", "k", "-p", "1e-6", "--synchronous"});
  sql("ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (feed)'");
  EXPECT_EQ((*server)("SELECT pg_reload_conf()"), "t");
  EXPECT_TRUE(comes_true([] { return (*server)("SELECT sync_state FROM pg_stat_replication") == "sync"; }))
      << feeder->log();
  for (int i = 0; i < 100; ++i) {
    const std::string key = "waited for " + std::to_string(i);
    sql("INSERT INTO t VALUES ('" + key + "')");
    EXPECT_TRUE(filter->may_contain(key)) << key;
  }
  EXPECT_TRUE(answers_again()) << feeder->log();
  sql("ALTER SYSTEM RESET synchronous_standby_names");
  EXPECT_EQ((*server)("SELECT pg_reload_conf()"), "t");
}

TEST_F(FeedTrouble, ASlotWhoseLogWasDroppedIsMadeAgainAndTheFilterBuiltAnew) {
  feed({"--key", "k", "-p", "1e-6"});
  feeder->end(SIGKILL);
  sql("INSERT INTO t VALUES ('while away')");
  EXPECT_TRUE(comes_true([] {
    (void)(*server)("SELECT pg_logical_emit_message(true, 'test', 'text')");
    (void)(*server)("SELECT pg_switch_wal()");
    sql("CHECKPOINT");
    return (*server)("SELECT wal_status FROM pg_replication_slots") == "lost";
  }));
  feeder->start();
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && filter->state().generation == 2; }))
      << feeder->log();
  EXPECT_TRUE(filter->may_contain("while away"));
  EXPECT_FALSE(filter->may_contain("stranger"));
  EXPECT_TRUE(filter->may_contain("one"));
}

// The promoted server has the same identifier and even the same slot, but its log is another one from some position on.
TEST_F(FeedTrouble, APromotedServerIsAnotherTimelineAndTheFilterIsBuiltAnew) {
  feed({"--key", "k", "-p", "1e-6"});
  server->stop("fast");
  server->promote();
  sql("INSERT INTO t VALUES ('after the promotion')");
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && filter->state().generation == 2; }))
      << feeder->log();
  EXPECT_TRUE(is_in("after the promotion"));
  EXPECT_TRUE(filter->may_contain("one"));
  EXPECT_FALSE(filter->may_contain("stranger"));
}

}  // namespace
}  // namespace bloomery
