// The promise of a guard with live servers: a row that is written through it is found at once, and a stranger's row is denied
// for at most the bound.
//
//   own writers ──> Guard::write(), INSERT, commit, end(), ask at once ──> guard ──> leased file, Redis, PostgreSQL
//   a stranger  ──> INSERT, commit, ask after the bound ────────────────────┘           └─ fed by a feeder
//               └─> ask at once, in shadow mode: it counts what it would have denied wrongly
//
// Meanwhile the feeder is killed, filters are built anew, the slot is dropped, the database crashes, and Redis is killed
// and falls silent.
//
// BLOOMERY_CHECKER_INSERTS sets another number of rows than 13,333, or 40,000 in long tests.
#include <chrono>
#include <deque>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/connect/redis_cache.h"
#include "bloomery/guard/guard.h"
#include "bloomery/guard/leased_source.h"
#include "bloomery/guard/memory_cache.h"
#include "connect/idle_clients.h"
#include "tests/connect/server_process.h"
#include "tests/feed/live_postgres.h"
#include "tests/feed/running_feeder.h"

namespace bloomery {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kGuardedBound{1000};
constexpr std::uint64_t kRowsAtOnce = 20;

// The table of the test, by as many connections as are needed at once.
class Database {
 public:
  explicit Database(const LivePostgres& server) : server_(server) {}

  Result<postgres::Rows> query(const std::string& sql) {
    BLOOMERY_ASSIGN_OR_RETURN(postgres::Connection connection,
                              connections_.borrow([this] { return server_.connect(); }));
    Result<postgres::Rows> rows = connection.query(sql);
    if (rows) {
      connections_.give_back(std::move(connection));
    }
    return rows;
  }
  Result<guard::Loaded> load(std::string_view key) {
    BLOOMERY_ASSIGN_OR_RETURN(const postgres::Rows rows,
                              query("SELECT v FROM keys WHERE k = " + postgres::quoted_text(key)));
    return rows.empty() ? guard::Loaded() : guard::Loaded(rows.front().front().value_or(""));
  }

 private:
  const LivePostgres& server_;
  IdleClients<postgres::Connection> connections_;
};

struct Counts {
  std::atomic<std::uint64_t> rows{0};
  std::atomic<std::uint64_t> asked{0};
  std::atomic<std::uint64_t> denied{0};
  std::atomic<std::uint64_t> old_values{0};
};

// Writes rows through the guard, and asks for each as soon as its write has ended.
class OwnWriter {
 public:
  OwnWriter(guard::Guard& guard, Database& database, std::string name, Counts& counts)
      : guard_(guard), database_(database), name_(std::move(name)), counts_(counts) {}

  void insert() {
    std::string values;
    for (std::uint64_t i = 0; i < kRowsAtOnce; ++i) {
      values += (i == 0 ? "" : ", ") + ("('" + key(next_ + i) + "', 'first')");
    }
    write(next_, kRowsAtOnce, "INSERT INTO keys VALUES " + values, "first");
    next_ += kRowsAtOnce;
  }
  // Changes a row that was written, and was perhaps cached, before.
  void change() {
    if (next_ > 0) {
      const std::uint64_t row = next_ * 2 / 3;
      const std::string value = std::to_string(++changes_);
      write(row, 1, "UPDATE keys SET v = '" + value + "' WHERE k = '" + key(row) + "' RETURNING k", value);
    }
  }

 private:
  std::string key(std::uint64_t row) const { return name_ + std::to_string(row); }

  void write(std::uint64_t first, std::uint64_t count, const std::string& sql, const std::string& value) {
    std::vector<guard::Write> writes;
    for (std::uint64_t row = first; row < first + count; ++row) {
      writes.push_back(guard_.write(key(row)));
    }
    const Result<postgres::Rows> done = database_.query(sql);
    for (guard::Write& write : writes) {
      (void)write.end();  // an error says that Redis is away; the guard then answers without it
    }
    if (!done || (sql.starts_with("UPDATE") && done->empty())) {
      return;  // the server was away, or the row was never committed
    }
    counts_.rows += count;
    for (std::uint64_t row = first; row < first + count; ++row) {
      const Result<guard::Answer> answer = guard_.get(key(row));
      if (answer) {  // otherwise the database is away
        ++counts_.asked;
        counts_.denied += std::uint64_t{!answer->value};
        counts_.old_values += std::uint64_t{answer->value && answer->value != value};
      }
    }
  }

  guard::Guard& guard_;
  Database& database_;
  std::string name_;
  Counts& counts_;
  std::uint64_t next_ = 0;
  std::uint64_t changes_ = 0;
};

// Writes rows behind the guard's back.
class Stranger {
 public:
  Stranger(guard::Guard& guard, guard::Guard& shadow, Database& database)
      : guard_(guard), shadow_(shadow), database_(database) {}

  void insert() {
    const std::uint64_t first = next_;
    next_ += kRowsAtOnce;
    const Result<postgres::Rows> done =
        database_.query("INSERT INTO keys SELECT 'stranger' || i, 'first' FROM generate_series(" +
                        std::to_string(first) + ", " + std::to_string(next_ - 1) + ") i");
    if (done) {
      pending_.push_back({Clock::now(), first});
      counts.rows += kRowsAtOnce;
      ask_shadow(key(first));
    }
  }
  // Asks for all keys that are old enough, and for as many that nobody inserted.
  void ask() {
    const Clock::time_point now = Clock::now();
    while (!pending_.empty() && now - pending_.front().committed > kGuardedBound) {
      const std::uint64_t first = pending_.front().first;
      for (std::uint64_t row = first; row < first + kRowsAtOnce; ++row) {
        const Result<guard::Answer> answer = guard_.get(key(row));
        counts.asked += std::uint64_t{answer.has_value()};
        counts.denied += std::uint64_t{answer && !answer->value};
        certain += std::uint64_t{guard_.rejects("nobody" + std::to_string(row))};
      }
      const std::uint64_t wrong_before = shadow_.metrics().wrong_rejections;
      ask_shadow(key(first));
      const Result<guard::Answer> absent = shadow_.get("nobody" + std::to_string(first));
      EXPECT_FALSE(absent && absent->value);
      old_in_shadow += shadow_.metrics().wrong_rejections - wrong_before;
      pending_.pop_front();
    }
  }
  bool has_pending() const { return !pending_.empty(); }
  std::uint64_t inserted() const { return next_; }

  Counts counts;
  std::uint64_t certain = 0;
  std::uint64_t shadow_wrong = 0;  // rows that are there and that it would have denied, as the checker counts
  std::uint64_t old_in_shadow = 0;  // ... of them older than the bound

 private:
  struct Committed {
    Clock::time_point committed;
    std::uint64_t first;
  };

  static std::string key(std::uint64_t row) { return "stranger" + std::to_string(row); }

  // Nobody else asks the shadow, so its counters tell what it made of this question.
  void ask_shadow(const std::string& row) {
    const std::uint64_t before = shadow_.metrics().would_reject;
    const Result<guard::Answer> answer = shadow_.get(row);
    if (answer) {
      EXPECT_TRUE(answer->value) << "shadow mode denied a row";
      shadow_wrong += shadow_.metrics().would_reject - before;
    }
  }

  guard::Guard& guard_;
  guard::Guard& shadow_;
  Database& database_;
  std::deque<Committed> pending_;
  std::uint64_t next_ = 0;
};

TEST(GuardChecker, NoRowIsDeniedBeyondThePromiseWhateverHappens) {
  if (LivePostgres::programs().empty() || !ServerProcess::is_installed("redis-server")) {
    GTEST_SKIP() << "SKIPPED: PostgreSQL's server or redis-server is not installed (scripts/setup check)";
  }
  LivePostgres server;
  ASSERT_EQ(server("CREATE TABLE keys (k text PRIMARY KEY, v text)"), "");
  ASSERT_EQ(server("INSERT INTO keys SELECT 'old' || i, 'first' FROM generate_series(1, 20000) i"), "");
  ASSERT_EQ(server("CREATE PUBLICATION bloomery FOR TABLE keys"), "");
  const TestFolder& folder = server.folder();
  const std::string path = folder.path("keys.leased");
  const std::string socket = folder.path("redis");
  ServerProcess redis({"redis-server", "--port", "0", "--unixsocket", socket, "--dir", folder.path(""),
                       "--save", "", "--logfile", "redis.log"});
  RunningFeeder feeder(
      folder, {"--db", server.url(), "--table", "keys", "--key", "k", "--file", path, "--slot", "feed",
               "--bound", "1s", "--watch", "100ms", "--save", "100ms", "--rebuild-after", "3000"});
  std::shared_ptr<guard::FilterSource> source;  // it is opened before there is a filter
  ASSERT_TRUE(comes_true([&] {
    auto opened = guard::LeasedSource::open(path);
    if (opened) {
      source = std::move(*opened);
    }
    return opened.has_value();
  })) << feeder.log();

  Database database(server);
  const guard::Loader loader = [&](std::string_view key, const guard::LoadContext&) {
    return database.load(key);
  };
  guard::GuardOptions options;
  options.bound.time = kGuardedBound;
  options.recovery = 2s;
  const auto guard = guard::Guard::make(source, *redis_cache("unix://" + socket), loader, options);
  ASSERT_TRUE(guard.has_value());
  guard::GuardOptions only_counts = options;
  only_counts.mode = guard::GuardMode::kShadow;
  const auto shadow = guard::Guard::make(source, guard::MemoryCache::make(1 << 20), loader, only_counts);
  ASSERT_TRUE(shadow.has_value());

  Counts own;
  std::atomic<bool> ends{false};
  std::vector<std::thread> writers;
  for (const char* const name : {"a", "b"}) {
    writers.emplace_back([&, name] {
      OwnWriter writer(**guard, database, name, own);
      while (!ends) {
        writer.insert();
        writer.change();
      }
    });
  }
  Stranger stranger(**guard, **shadow, database);
  const auto is_cache_down = [&] { return (*guard)->metrics().is_cache_down; };
  const auto is_active = [&] { return (*guard)->state() == guard::GuardState::kActive; };

  const std::vector<std::function<void()>> events{
      [&] { feeder.signal(SIGUSR1); },
      [&] {
        feeder.end(SIGKILL);
        feeder.start();
      },
      [&] {
        redis.kill();
        EXPECT_TRUE(comes_true(is_cache_down));
      },
      [&] { redis.start(); },
      [&] {  // in the middle of a rebuild
        feeder.signal(SIGUSR1);
        std::this_thread::sleep_for(30ms);
        feeder.end(SIGKILL);
        feeder.start();
      },
      [&] {
        redis.stop();  // it keeps what it has
        EXPECT_TRUE(comes_true(is_cache_down));
      },
      [&] { redis.resume(); },
      [&] {  // the slot is lost while the feeder is away
        feeder.end(SIGKILL);
        EXPECT_TRUE(comes_true([&] { return server("SELECT pg_drop_replication_slot('feed')") == ""; }));
        feeder.start();
      },
      [&] { server("DELETE FROM keys WHERE k LIKE 'old%'"); },  // --rebuild-after
      [&] {
        redis.kill();
        redis.start();
      },
      [&] {
        server.stop("immediate");
        server.start();
      },
  };
  const std::uint64_t per_event = checked_rows(40'000) / events.size() + 1;
  for (const auto& event : events) {
    EXPECT_TRUE(comes_true(is_active, 20))
        << feeder.log();  // so that the event happens to a filter that says no
    const std::uint64_t begin = own.rows + stranger.counts.rows;
    bool has_happened = false;
    for (std::uint64_t done = 0; done < per_event || !has_happened;
         done = own.rows + stranger.counts.rows - begin) {
      stranger.insert();
      stranger.ask();
      if (!has_happened && done > per_event / 2) {
        event();
        has_happened = true;
      }
    }
  }
  ends = true;
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_TRUE(comes_true([&] {
    stranger.ask();
    return !stranger.has_pending() && is_active();
  })) << feeder.log();

  EXPECT_EQ(own.denied, 0U) << feeder.log();
  EXPECT_EQ(own.old_values, 0U);
  EXPECT_EQ(stranger.counts.denied, 0U) << feeder.log();
  EXPECT_EQ(stranger.old_in_shadow, 0U);
  EXPECT_EQ((*shadow)->metrics().wrong_rejections, stranger.shadow_wrong);
  EXPECT_GT(stranger.shadow_wrong, 0U)
      << "nobody asked within the bound, so shadow mode had nothing to count";
  EXPECT_GE(own.asked + stranger.counts.asked, checked_rows(40'000) * 8 / 10);
  EXPECT_GT(stranger.certain, stranger.counts.asked / 20) << "a filter that never says no proves nothing";
  std::cout << own.asked << " own rows asked at once: " << own.denied << " denied, " << own.old_values
            << " old; " << stranger.counts.asked
            << " strangers' rows asked after the bound: " << stranger.counts.denied << " denied; "
            << stranger.certain
            << " that nobody wrote denied; shadow mode: " << (*shadow)->metrics().would_reject
            << " would be denied, " << stranger.shadow_wrong
            << " of them wrongly, all younger than the bound\n"
            << (*guard)->metrics().cache_errors << " errors of Redis, " << (*guard)->metrics().copy_answers
            << " answers from copies\n";
}

}  // namespace
}  // namespace bloomery
