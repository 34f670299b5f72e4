// The promise of the feeder, with a live server: a row that somebody commits is denied for at most the bound, whatever
// happens to the feeder and its slot meanwhile.
//
// The checker inserts by a connection of its own that the feeder knows nothing of. It notes when each commit returned and
// asks the leased file later. A key that is denied although its commit returned more than the bound before the question began
// is a wrong rejection. Meanwhile the feeder is killed and started again, filters are built anew, the slot is dropped, the
// publication is altered and altered back, and the server crashes.
//
// BLOOMERY_CHECKER_INSERTS sets another number of inserts than 33,333, or 100,000 in long tests.
#include <chrono>
#include <deque>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/leased_filter.h"
#include "tests/feed/live_postgres.h"
#include "tests/feed/running_feeder.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kCheckedBound{1000};

// The table and the filter of it, as a stranger and a reader see them.
class Checker {
 public:
  explicit Checker(LivePostgres& server, const std::string& path) : server_(server), path_(path) {}

  // Commits `count` rows in one statement and notes the moment. A statement that fails has an unknown outcome, and its keys
  // are not used again.
  void insert(std::uint64_t count) {
    const std::uint64_t first = next_;
    next_ += count;
    run("INSERT INTO keys SELECT 'k' || i FROM generate_series(" + std::to_string(first) + ", " +
            std::to_string(next_ - 1) + ") i",
        first, count);
  }
  // Gives a row that nobody asks for a key that is asked for.
  void update() {
    const std::string key = std::to_string(next_++);
    if (connection_ && !connection_->query("INSERT INTO keys VALUES ('spare" + key + "')")) {
      connection_.reset();
    }
    run("UPDATE keys SET k = 'k" + key + "' WHERE k = 'spare" + key + "' RETURNING k", next_ - 1, 1);
  }
  // Asks for all keys that are old enough, and for as many that nobody inserted.
  void ask() {
    if (!filter_) {
      auto opened = LeasedFilter::open(path_);
      if (!opened) {
        return;
      }
      filter_.emplace(std::move(*opened));
    }
    const Clock::time_point now = Clock::now();
    while (!pending_.empty() && now - pending_.front().committed > kCheckedBound) {
      const Committed& row = pending_.front();
      for (std::uint64_t key = row.first; key < row.first + row.count; ++key) {
        ++asked_;
        wrong_ += std::uint64_t{!filter_->may_contain("k" + std::to_string(key))};
        certain_ += std::uint64_t{!filter_->may_contain("stranger" + std::to_string(key))};
      }
      checked_.push_back(row);
      pending_.pop_front();
    }
    for (const Committed& row : pending_) {
      young_denied_ += std::uint64_t{!filter_->may_contain("k" + std::to_string(row.first))};
    }
  }
  // Asks for every key that was ever committed. Returns how many are denied.
  std::uint64_t denied_of_all() {
    std::uint64_t denied = 0;
    for (const Committed& row : checked_) {
      for (std::uint64_t key = row.first; key < row.first + row.count; ++key) {
        denied += std::uint64_t{!filter_->may_contain("k" + std::to_string(key))};
      }
    }
    return denied;
  }
  bool lease_holds() const { return filter_ && filter_->state().holds; }
  bool has_pending() const { return !pending_.empty(); }
  std::uint64_t inserted() const { return next_; }
  std::uint64_t asked() const { return asked_; }
  std::uint64_t wrong() const { return wrong_; }
  std::uint64_t certain() const { return certain_; }
  std::uint64_t young_denied() const { return young_denied_; }
  std::uint64_t generation() const { return filter_ ? filter_->state().generation : 0; }

 private:
  struct Committed {
    Clock::time_point committed;
    std::uint64_t first;
    std::uint64_t count;
  };

  void run(const std::string& sql, std::uint64_t first, std::uint64_t count) {
    if (!connection_) {
      auto opened = server_.connect();
      if (!opened) {
        return;
      }
      connection_.emplace(std::move(*opened));
    }
    const Result<postgres::Rows> done = connection_->query(sql);
    if (done && sql.starts_with("UPDATE") && done->empty()) {
      return;  // its row was not committed
    }
    if (done) {
      pending_.push_back({.committed = Clock::now(), .first = first, .count = count});
    } else {
      connection_.reset();
    }
  }

  LivePostgres& server_;
  std::string path_;
  std::optional<postgres::Connection> connection_;
  std::optional<LeasedFilter> filter_;
  std::deque<Committed> pending_;
  std::vector<Committed> checked_;
  std::uint64_t next_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t wrong_ = 0;
  std::uint64_t certain_ = 0;
  std::uint64_t young_denied_ = 0;
};

TEST(FeedChecker, NoCommittedRowIsDeniedBeyondTheBoundWhateverHappens) {
  if (LivePostgres::programs().empty()) {
    GTEST_SKIP() << "PostgreSQL's server is not installed";
  }
  LivePostgres server;
  ASSERT_EQ(server("CREATE TABLE keys (k text PRIMARY KEY)"), "");
  ASSERT_EQ(server("INSERT INTO keys SELECT 'old' || i FROM generate_series(1, 20000) i"), "");
  ASSERT_EQ(server("CREATE PUBLICATION bloomery FOR TABLE keys"), "");
  const std::string path = server.folder().path("keys.leased");
  RunningFeeder feeder(server.folder(), {"--db",
                                         server.url(),
                                         "--table",
                                         "keys",
                                         "--key",
                                         "k",
                                         "--file",
                                         path,
                                         "--slot",
                                         "feed",
                                         "--bound",
                                         "1s",
                                         "--watch",
                                         "100ms",
                                         "--save",
                                         "100ms",
                                         "--rebuild-after",
                                         "3000",
                                         "--rebuild-share",
                                         "100",
                                         "--status",
                                         server.folder().path("status.json")});
  Checker checker(server, path);

  const std::vector<std::function<void()>> events{
      [&] { feeder.signal(SIGUSR1); },
      [&] {
        feeder.end(SIGKILL);
        feeder.start();
      },
      [&] {  // in the middle of a rebuild
        feeder.signal(SIGUSR1);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        feeder.end(SIGKILL);
        feeder.start();
      },
      [&] {
        server("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = 'feed'");
      },
      [&] {  // the slot is lost while the feeder is away
        feeder.end(SIGKILL);
        EXPECT_TRUE(comes_true([&] { return server("SELECT pg_drop_replication_slot('feed')") == ""; }));
        checker.insert(100);
        feeder.start();
      },
      [&] { server("DELETE FROM keys WHERE k LIKE 'old%'"); },  // --rebuild-after
      [&] {
        server.stop("immediate");
        server.start();
      },
      [&] {  // rows that the log does not bring, and an alteration that is undone
        server("ALTER PUBLICATION bloomery DROP TABLE keys");
        checker.insert(100);
        server("ALTER PUBLICATION bloomery ADD TABLE keys");
      },
      [&] {
        feeder.end(SIGTERM);
        checker.insert(100);
        feeder.start();
      },
  };
  const std::uint64_t per_event = checked_rows(100'000) / events.size() + 1;
  for (const auto& event : events) {
    const std::uint64_t end = checker.inserted() + per_event;
    const Clock::time_point until = Clock::now() + std::chrono::seconds(20);
    while (!checker.lease_holds() &&
           Clock::now() < until) {  // so that the event happens to a filter that says no
      checker.insert(1);
      checker.ask();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_TRUE(checker.lease_holds()) << feeder.log();
    bool has_happened = false;
    while (checker.inserted() < end) {
      checker.insert(checker.inserted() % 3 == 0 ? 1 : 50);
      checker.update();
      checker.ask();
      if (!has_happened && checker.inserted() + per_event / 2 > end) {
        event();
        has_happened = true;
      }
    }
  }
  EXPECT_TRUE(comes_true([&] {
    checker.insert(1);
    checker.ask();
    return checker.lease_holds();
  })) << feeder.log();
  EXPECT_TRUE(comes_true([&] {
    checker.ask();
    return !checker.has_pending();
  }));
  EXPECT_EQ(checker.wrong(), 0u) << feeder.log();
  EXPECT_EQ(checker.denied_of_all(), 0u);
  EXPECT_GE(checker.asked(), checked_rows(100'000) * 9 / 10);
  EXPECT_GT(checker.certain(), checker.asked() / 20) << "a filter that never says no proves nothing";
  EXPECT_GE(checker.generation(), 4u);
  std::cout << checker.asked() << " keys asked, " << checker.wrong() << " wrong rejections, "
            << checker.certain() << " strangers denied, " << checker.young_denied()
            << " young ones denied within the bound, generation " << checker.generation() << "\n";
}

}  // namespace
}  // namespace bloomery
