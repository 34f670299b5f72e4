// `bloomery feed postgres --redis`, with a live database and a live server that has our module. A row that somebody commits is
// denied for at most the bound, whatever happens to the feeder and to the server.
#include <chrono>
#include <csignal>
#include <deque>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/connect/redis_source.h"
#include "tests/base/long_tests.h"
#include "tests/connect/server_process.h"
#include "tests/feed/live_postgres.h"
#include "tests/feed/running_feeder.h"
#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class FeedRedis : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    if (LivePostgres::programs().empty()) {
      GTEST_SKIP() << "SKIPPED: PostgreSQL's server is not installed";
    }
    database_ = std::make_unique<LivePostgres>();
    start_server();
    sql("CREATE TABLE t (k text PRIMARY KEY)");
    sql("INSERT INTO t SELECT 'old' || i FROM generate_series(1, 3000) i");
    sql("CREATE PUBLICATION bloomery FOR TABLE t");
  }
  void TearDown() override { feeder_.reset(); }

  void start_server() {
    server_.reset();
    server_ = std::make_unique<LiveServer>(folder_, "s");
    ASSERT_TRUE(server_->is_up());
  }
  void sql(const std::string& statement) { EXPECT_EQ((*database_)(statement), "") << statement; }
  std::string url() const { return "unix://" + server_->socket(); }
  std::vector<std::string> words(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{
        "--db", database_->url(), "--table", "t",      "--key", "k",  "--redis", url(), "users", "--bound",
        "1s",   "--watch",        "50ms",    "--save", "50ms",  "-p", "1e-6"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // Starts a feeder and waits until its lease runs.
  void feed(const std::vector<std::string>& more = {}) {
    feeder_ = std::make_unique<RunningFeeder>(folder_, words(more));
    ASSERT_TRUE(comes_true([&] { return says_no(); })) << feeder_->log();
  }
  std::string ask(const std::string& item) { return (*server_)("BLOOM.EXISTS", "users", item); }
  bool says_no() { return ask("nobody") == ":0"; }
  std::string record() {
    const std::string info = (*server_)("BLOOM.INFO", "users");
    const std::size_t begin = info.find("feed=1");
    return begin == std::string::npos ? info : info.substr(begin, info.find(" +", begin) - begin);
  }
  std::string refusal(const std::vector<std::string>& all) {
    RunningFeeder refused(folder_, all);
    EXPECT_EQ(refused.wait(), 2) << refused.log();
    return refused.log();
  }

  std::unique_ptr<LivePostgres> database_;
  std::unique_ptr<LiveServer> server_;
  std::unique_ptr<RunningFeeder> feeder_;
};

TEST_F(FeedRedis, NoCommittedRowIsDeniedBeyondTheBoundWhateverHappens) {
  feed({"--rebuild-after", "500"});
  struct Committed {
    Clock::time_point at;
    int row;
  };
  std::deque<Committed> pending;
  std::vector<int> checked;
  int next = 0;
  std::uint64_t wrong = 0;
  std::uint64_t certain = 0;
  std::uint64_t young = 0;
  auto stranger = database_->connect();
  const auto insert_and_ask = [&] {
    if (!stranger) {
      stranger = database_->connect();
    } else if (stranger->query("INSERT INTO t VALUES ('row" + std::to_string(next) + "')")) {
      pending.push_back({Clock::now(), next++});
      young += std::uint64_t{ask("row" + std::to_string(pending.back().row)) == ":0"};
    } else {
      stranger = database_->connect();
      ++next;
    }
    const Clock::time_point now = Clock::now();
    while (!pending.empty() && now - pending.front().at > 1s) {
      wrong += std::uint64_t{ask("row" + std::to_string(pending.front().row)) == ":0"};
      certain += std::uint64_t{says_no()};
      checked.push_back(pending.front().row);
      pending.pop_front();
    }
  };
  const std::vector<std::function<void()>> events{
      [&] { feeder_->signal(SIGUSR1); },
      [&] {
        feeder_->end(SIGKILL);
        feeder_->start();
      },
      [&] { (*server_)("SAVE"); },
      [&] {  // the server comes back as it was one event before
        server_->kill();
        start_server();
      },
      [&] { sql("DELETE FROM t WHERE k LIKE 'old%'"); },  // --rebuild-after
      [&] { (*server_)("FLUSHALL"); },
      [&] {  // in the middle of a rebuild
        feeder_->signal(SIGUSR1);
        std::this_thread::sleep_for(20ms);
        feeder_->end(SIGKILL);
        feeder_->start();
      },
      [&] { (*server_)("DEL", "users"); },
      [&] {
        (*server_)("DEBUG", "SLEEP", "2");  // it hangs for longer than the bound
      },
      [&] {
        database_->stop("immediate");
        database_->start();
      },
      [&] {
        feeder_->end(SIGTERM);
        feeder_->start();
      }};
  const int rows_each = runs_long_tests() ? 600 : 120;
  for (const auto& event : events) {
    EXPECT_TRUE(comes_true([&] { return says_no(); }, 20)) << feeder_->log();
    int first_after = 0;
    for (int i = 0; i < rows_each; ++i) {
      insert_and_ask();
      std::this_thread::sleep_for(3ms);
      if (i == rows_each / 2) {
        event();
        first_after = next;
      }
    }
    EXPECT_TRUE(comes_true([&] {  // by then all rows of before were asked, while it happened
      insert_and_ask();
      return !checked.empty() && checked.back() >= first_after;
    })) << feeder_->log();
  }
  EXPECT_TRUE(comes_true([&] {
    insert_and_ask();
    return says_no() && pending.size() < 60;
  })) << feeder_->log();
  EXPECT_EQ(wrong, 0U) << feeder_->log();
  for (const int row : checked) {
    EXPECT_EQ(ask("row" + std::to_string(row)), ":1") << row;
  }
  EXPECT_GT(certain, checked.size() / 20) << "a filter that never says no proves nothing";
  std::cout << checked.size() << " rows asked after the bound: " << wrong << " denied; " << certain
            << " that nobody inserted denied; " << young << " asked at once and denied within the bound\n";
}

TEST_F(FeedRedis, ARestartGoesOnFromTheRecordInTheKey) {
  feed();
  EXPECT_NE(record().find("generation=1"), std::string::npos) << record();
  feeder_->end(SIGKILL);
  sql("INSERT INTO t VALUES ('while away')");
  EXPECT_TRUE(comes_true([&] { return !says_no(); }, 10)) << "the lease is over after the bound";
  feeder_->start();
  EXPECT_TRUE(comes_true([&] { return says_no() && ask("while away") == ":1"; })) << feeder_->log();
  EXPECT_NE(record().find("generation=1"), std::string::npos) << "it was built anew: " << record();
  EXPECT_EQ((*server_)("EXISTS", "{users}:rebuild"), ":0");
}

TEST_F(FeedRedis, TwoFeedersOfOneSlotDoNotHurtEachOther) {
  feed();
  TestFolder other_folder;
  RunningFeeder other(other_folder, words());
  sql("INSERT INTO t VALUES ('both')");
  EXPECT_TRUE(comes_true([&] { return says_no() && ask("both") == ":1"; }, 30))
      << feeder_->log() << other.log();
  feeder_->end(SIGKILL);
  sql("INSERT INTO t VALUES ('one is left')");
  EXPECT_TRUE(comes_true([&] { return says_no() && ask("one is left") == ":1"; }, 30)) << other.log();
}

TEST_F(FeedRedis, AQueryOfTheCommandAsksTheKey) {
  feed({"--key-form", "text", "--trim"});
  sql("INSERT INTO t VALUES ('  ann  ')");
  EXPECT_TRUE(comes_true([&] { return ask("ann") == ":1"; }));
  const std::string asks = std::string(BLOOMERY_COMMAND) + " query --redis " + url() + " users -q --trim -e ";
  EXPECT_EQ(std::system((asks + "' ann'").c_str()), 0);
  EXPECT_NE(std::system((asks + "nobody").c_str()), 0);
}

// What the feeder writes is what a guard reads: its filter is not cold, and denies.
TEST_F(FeedRedis, AGuardBelievesTheKeyOfAFeeder) {
  feed();
  const std::shared_ptr<guard::FilterSource> source = *redis_source(url(), "users", {});
  EXPECT_TRUE(comes_true([&] {
    const guard::Asked asked = source->ask("nobody");
    return !asked.may_contain && asked.seen.phase == guard::FilterPhase::kComplete;
  })) << record();
  EXPECT_TRUE(source->ask("old1").may_contain);
}

TEST_F(FeedRedis, WhatCannotBeFedIsSaid) {
  const std::vector<std::string> base{"--db", database_->url(), "--table", "t"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return refusal(more);
  };
  EXPECT_NE(with({"--key", "k", "--redis", url()}).find("KEY"), std::string::npos);
  EXPECT_NE(with({"--key", "k", "--redis", url(), "users", "--file", "f"}).find("--file"), std::string::npos);
  EXPECT_NE(with({"--key", "k", "--file", "f", "users"}).find("KEY"), std::string::npos);
  EXPECT_NE(with({"--key", "k,k", "--redis", url(), "users"}).find("composite"), std::string::npos);
  EXPECT_NE(with({"--key", "k", "--redis", url(), "users", "--key-file", "f"}).find("--key-file"),
            std::string::npos);
  EXPECT_NE(with({"--key", "k", "--redis", "http://x", "users"}).find("redis://"), std::string::npos);
  (*server_)("SET", "text", "1");
  EXPECT_NE(with({"--key", "k", "--redis", url(), "text"}).find("string"), std::string::npos);
  (*server_)("BLOOM.ADD", "by hand", "a");
  EXPECT_NE(with({"--key", "k", "--redis", url(), "by hand"}).find("without a record"), std::string::npos);

  const std::string socket = folder_.path("plain");
  const ServerProcess plain({"redis-server", "--port", "0", "--unixsocket", socket, "--dir", folder_.path(""),
                             "--save", "", "--logfile", "plain.log"});
  ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(socket); }));
  RunningFeeder feeder(folder_, {"--db", database_->url(), "--table", "t", "--key", "k", "--redis",
                                 "unix://" + socket, "users"});
  EXPECT_TRUE(comes_true([&] { return feeder.log().find("bloomery.so") != std::string::npos; }))
      << feeder.log();
}

}  // namespace
}  // namespace bloomery
