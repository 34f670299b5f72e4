// `bloomery feed postgres` with a live server that is in trouble: it is silent, it was promoted, it has dropped the log of the
// slot, it keeps commits in memory. And one that waits for the feeder at each commit.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/feed/feed_suite.h"

namespace bloomery {
namespace {

class FeedTrouble : public FeedSuite {
 protected:
  static void SetUpTestSuite() {
    if (!LivePostgres::programs().empty()) {
      // Commits that do not wait are written after 10 s, or never if the test stops the process that writes them.
      server = std::make_unique<LivePostgres>(
          "min_wal_size = '32MB'\nmax_wal_size = '32MB'\nwal_writer_delay = '10s'");
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
  // Lets the log grow beyond what a put back server has lost.
  static void fill_log() {
    sql("CREATE TABLE IF NOT EXISTS noise (t text)");
    sql("INSERT INTO noise SELECT repeat('x', 100) FROM generate_series(1, 3000)");
    (void)(*server)("SELECT pg_switch_wal()");
    sql("INSERT INTO noise VALUES ('y')");
  }
  // How far behind the copy the rows are that are lost.
  enum class Lost { kNear, kFar };
  // Copies the stopped server's data, and lets a feeder follow rows that are lost when the copy is put back. They come by the
  // log and not by a rebuild, so their commit is what the filter knows of the log.
  void lose_rows(Lost lost = Lost::kNear) {
    feeder->end(SIGTERM);
    server->stop("fast");
    server->put_aside();
    server->start();
    EXPECT_TRUE(comes_true([&] { return !filter->state().holds; })) << "the lease of before is over";
    feeder->start();
    EXPECT_TRUE(answers_again()) << feeder->log();
    if (lost == Lost::kFar) {
      fill_log();
    }
    sql("INSERT INTO t SELECT 'lost ' || i FROM generate_series(1, 200) i");
    EXPECT_TRUE(is_in("lost 200")) << feeder->log();
    feeder->end(SIGTERM);
    server->stop("fast");
    server->put_back();
    server->start();
    EXPECT_TRUE(comes_true([&] { return !filter->state().holds; })) << "the lease of before is over";
  }
  // Puts back a copy of the stopped server's data. What was written to other tables since, with the feeder following, is lost.
  void lose_noise() {
    sql("INSERT INTO t VALUES ('before the copy')");
    EXPECT_TRUE(is_in("before the copy")) << feeder->log();
    feeder->end(SIGTERM);
    server->stop("fast");
    server->put_aside();
    server->start();
    feeder->start();
    for (int i = 0; i < 2;
         ++i) {  // the record of the second time has where the slot was seen after the first
      fill_log();
      const std::string end = (*server)("SELECT pg_current_wal_flush_lsn()");
      EXPECT_TRUE(comes_true([&] { return is_confirmed(end); })) << feeder->log();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    feeder->end(SIGTERM);
    server->stop("fast");
    server->put_back();
    server->start();
    EXPECT_TRUE(comes_true([&] { return !filter->state().holds; })) << "the lease of before is over";
  }
  static bool is_confirmed(const std::string& end) {
    return (*server)("SELECT confirmed_flush_lsn >= '" + end + "' FROM pg_replication_slots") == "t";
  }
  // Lets the server keep so little log that a slot can lose it, or as much as before.
  static void keep_log(const std::string& most) {
    sql(most.empty() ? "ALTER SYSTEM RESET max_slot_wal_keep_size"
                     : "ALTER SYSTEM SET max_slot_wal_keep_size = '" + most + "'");
    EXPECT_EQ((*server)("SELECT pg_reload_conf()"), "t");
    EXPECT_TRUE(comes_true(
        [&] { return (*server)("SHOW max_slot_wal_keep_size") == (most.empty() ? "1GB" : most); }));
  }
  // Makes the slot anew, behind all that was written.
  static void make_slot_by_hand() {
    EXPECT_EQ((*server)("SELECT pg_drop_replication_slot('feed')"), "");
    EXPECT_NE((*server)("SELECT pg_create_logical_replication_slot('feed', 'pgoutput')"), "");
  }
  // To the one process of the server that the query finds.
  static void signal_process(const std::string& query, int number) {
    const std::string found = (*server)(query);
    const int process = std::atoi(found.c_str());
    EXPECT_TRUE(process > 1 && ::kill(process, number) == 0) << query << ": " << found;
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

// The looks go on and say that the table is as it was. A lease for them would deny the row, which the log has not brought.
TEST_F(FeedTrouble, ALogThatIsNotSentLetsTheLeaseRunOut) {
  feed({"--key", "k", "-p", "1e-6"});
  const std::string sender =
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walsender' AND application_name = 'feed'";
  signal_process(sender, SIGSTOP);
  sql("INSERT INTO t VALUES ('unsent')");
  EXPECT_TRUE(comes_true([&] { return !filter->state().holds; }, 10)) << feeder->log();
  EXPECT_TRUE(filter->may_contain("unsent"));
  signal_process(sender, SIGCONT);
  EXPECT_TRUE(answers_again()) << feeder->log();
  EXPECT_TRUE(filter->may_contain("unsent"));
  EXPECT_EQ(filter->state().generation, 1U) << feeder->log();
}

// A commit that nobody waits for is visible to everybody, and is not in the log that is sent until it is flushed.
TEST_F(FeedTrouble, ACommitThatStaysInMemoryIsInWithinTheBound) {
  feed({"--key", "k", "-p", "1e-6"});
  sql("ALTER ROLE postgres SET synchronous_commit = off");
  signal_process("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'", SIGSTOP);
  for (const char* const key : {"first", "second", "third"}) {
    sql("INSERT INTO t VALUES ('" + std::string(key) + "')");
    EXPECT_TRUE(comes_true([&] { return filter->may_contain(key); }, 2)) << key << feeder->log();
    EXPECT_TRUE(is_in(key)) << "nobody but the feeder has it flushed: " << feeder->log();
    if (HasFailure()) {
      break;  // and let the process go on
    }
  }
  signal_process("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'", SIGCONT);
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
  keep_log("1MB");
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
  keep_log("");
}

// The log is still there, but the next checkpoint removes it, whether the feeder has read it by then or not.
TEST_F(FeedTrouble, ASlotWhoseLogIsAboutToBeRemovedIsMadeAgain) {
  keep_log("1MB");
  feed({"--key", "k", "-p", "1e-6"});
  feeder->end(SIGKILL);
  sql("INSERT INTO t VALUES ('while away')");
  std::string status;
  EXPECT_TRUE(comes_true([&] {
    (void)(*server)("SELECT pg_logical_emit_message(true, 'test', 'text')");
    (void)(*server)("SELECT pg_switch_wal()");
    status = (*server)("SELECT wal_status FROM pg_replication_slots");
    return status == "unreserved" || status == "lost";
  }));
  feeder->start();
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && filter->state().generation == 2; }))
      << status << feeder->log();
  EXPECT_TRUE(status == "lost" || feeder->log().find("about to remove") != std::string::npos)
      << feeder->log();
  EXPECT_TRUE(filter->may_contain("while away"));
  EXPECT_EQ((*server)("SELECT wal_status FROM pg_replication_slots"), "reserved");
  keep_log("");
}

// The promoted server has the same identifier and even the same slot, but its log is another one from some position on.
TEST_F(FeedTrouble, APromotedServerIsAnotherTimelineAndTheFilterIsBuiltAnew) {
  feed({"--key", "k", "-p", "1e-6"});
  sql("INSERT INTO t VALUES ('before the promotion')");  // its commit is in both logs
  EXPECT_TRUE(is_in("before the promotion")) << feeder->log();
  server->stop("fast");
  server->promote();
  sql("INSERT INTO t VALUES ('after the promotion')");
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && filter->state().generation == 2; }))
      << feeder->log();
  EXPECT_TRUE(is_in("after the promotion"));
  EXPECT_NE(feeder->log().find("another server has taken over (timeline 2, was 1)"), std::string::npos)
      << feeder->log();
  EXPECT_TRUE(filter->may_contain("one"));
  EXPECT_FALSE(filter->may_contain("stranger"));
}

// A copy of the data has the same identifier and timeline, and its slot. Its log went on from an earlier position and is
// longer than the one that the filter followed, so the rows lie where the filter believed to have been.
TEST_F(FeedTrouble, ADatabaseThatWasPutBackIsReadFromItsOwnPositionAndTheFilterBuiltAnew) {
  feed({"--key", "k", "-p", "1e-6"});
  lose_rows();
  sql("INSERT INTO t SELECT 'new ' || i FROM generate_series(1, 20) i");
  fill_log();
  feeder->start();
  EXPECT_TRUE(answers_again()) << feeder->log();
  for (int i = 1; i <= 20; ++i) {
    EXPECT_TRUE(filter->may_contain("new " + std::to_string(i))) << i << feeder->log();
  }
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && !filter->may_contain("lost 7"); }, 20))
      << "it is built anew: " << feeder->log();
}

// The slot was made by hand after the copy was put back, behind rows that no log brings any more.
TEST_F(FeedTrouble, ASlotThatWasMadeAfterADatabaseWasPutBackIsNoProof) {
  feed({"--key", "k", "-p", "1e-6"});
  lose_rows();
  sql("INSERT INTO t VALUES ('new')");
  make_slot_by_hand();
  fill_log();
  feeder->start();
  EXPECT_TRUE(answers_again()) << feeder->log();
  EXPECT_TRUE(filter->may_contain("new")) << feeder->log();
}

// No transaction of the table tells the logs apart: the last one that the filter has is in both.
TEST_F(FeedTrouble, ASlotBeforeTheOneThatWasSeenIsNoProofEither) {
  feed({"--key", "k", "-p", "1e-6"});
  lose_noise();
  sql("INSERT INTO t VALUES ('new')");
  make_slot_by_hand();
  for (int i = 0; i < 4; ++i) {
    fill_log();  // beyond what was lost
  }
  feeder->start();
  EXPECT_TRUE(answers_again()) << feeder->log();
  EXPECT_TRUE(filter->may_contain("new")) << feeder->log();
}

// Its log ends before what the filter has. Nobody writes, so no transaction tells that it is another one.
TEST_F(FeedTrouble, ADatabaseThatWasPutBackAndIsIdleIsSeenByTheEndOfItsLog) {
  feed({"--key", "k", "-p", "1e-6"});
  lose_rows(Lost::kFar);  // what an idle server writes does not come so far
  feeder->start();
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && !filter->may_contain("lost 7"); }, 20))
      << feeder->log();
  EXPECT_TRUE(filter->may_contain("one"));
}

// The server has forgotten rows that the filter has not got.
TEST_F(FeedTrouble, ASlotThatSomebodyMovedOnIsNoticed) {
  feed({"--key", "k", "-p", "1e-6"});
  feeder->end(SIGTERM);
  sql("INSERT INTO t VALUES ('passed over')");
  const std::string end = (*server)("SELECT pg_current_wal_flush_lsn()");
  EXPECT_TRUE(comes_true([&] {
    (void)(*server)("SELECT pg_replication_slot_advance('feed', '" + end + "')");
    return is_confirmed(end);
  }));
  EXPECT_TRUE(comes_true([&] { return !filter->state().holds; })) << "the lease of before is over";
  feeder->start();
  EXPECT_TRUE(answers_again()) << feeder->log();
  EXPECT_TRUE(filter->may_contain("passed over")) << feeder->log();
  EXPECT_EQ(filter->state().generation, 2U);
}

// PostgreSQL does not write each position of a slot to its disk, so a server that crashed has an earlier one. It is the same
// log.
TEST_F(FeedTrouble, ACrashedServerThatHasTheSameLogIsFollowedOn) {
  feed({"--key", "k", "-p", "1e-6"});
  for (int i = 0; i < 3; ++i) {
    const std::string key = "before crash " + std::to_string(i);
    sql("INSERT INTO t VALUES ('" + key + "')");
    EXPECT_TRUE(is_in(key)) << feeder->log();
    server->stop("immediate");
    server->start();
    sql("INSERT INTO t VALUES ('after crash " + std::to_string(i) + "')");
    EXPECT_TRUE(is_in("after crash " + std::to_string(i))) << feeder->log();
    EXPECT_TRUE(answers_again()) << feeder->log();
  }
  EXPECT_EQ(filter->state().generation, 1U) << feeder->log();
}

// The server refuses to decode rows of a time without the publication, so the feeder waited for ever and the slot kept the
// log.
TEST_F(FeedTrouble, RowsThatCannotBeDecodedEndInARebuildAndTheSlotIsMovedOn) {
  feed({"--key", "k", "-p", "1e-6"});
  struct Case {
    const char* change;
    const char* undo;
    const char* insert;
  };
  const std::vector<Case> cases{
      {"DROP PUBLICATION bloomery", "CREATE PUBLICATION bloomery FOR TABLE t", "INSERT INTO t VALUES ('a')"},
      {"ALTER PUBLICATION bloomery RENAME TO x", "ALTER PUBLICATION x RENAME TO bloomery",
       "INSERT INTO t VALUES ('b')"},
      {"ALTER TABLE t RENAME k TO j", "ALTER TABLE t RENAME j TO k", "INSERT INTO t (j) VALUES ('c')"},
  };
  std::uint64_t generation = 1;
  for (const bool is_running : {true, false}) {
    for (const Case& one : cases) {
      if (!is_running) {
        feeder->end(SIGTERM);
      }
      sql(one.change);
      sql(one.insert);
      sql(one.undo);
      if (!is_running) {
        feeder->start();
      }
      ASSERT_TRUE(
          comes_true([&] { return filter->state().holds && filter->state().generation > generation; }, 20))
          << one.change << feeder->log();
      generation = filter->state().generation;
      for (const char* const key : {"a", "b", "c"}) {
        const std::string count = (*server)("SELECT count(*) FROM t WHERE k = '" + std::string(key) + "'");
        EXPECT_TRUE(count == "0" || filter->may_contain(key)) << one.change << key;
      }
      EXPECT_FALSE(filter->may_contain("stranger"));
      sql("DELETE FROM t WHERE k IN ('a', 'b', 'c')");
      const std::string end = (*server)("SELECT pg_current_wal_flush_lsn()");
      EXPECT_TRUE(comes_true([&] {
        return (*server)("SELECT confirmed_flush_lsn >= '" + end + "' FROM pg_replication_slots") == "t";
      })) << feeder->log();
    }
  }
}

}  // namespace
}  // namespace bloomery
