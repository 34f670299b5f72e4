// `bloomery mirror` with a live server: its file follows a fed key by the key's new items, its *no* ends where the key's does,
// and no row is denied beyond the bound, whatever is killed.
//
// The feeder of the last test is a process of its own over a RedisSink. Its database is a number of rows in shared memory.
//
// BLOOMERY_MIRROR_KILLS sets another number of kills than 30, or 200 in long tests; BLOOMERY_MIRROR_SEED another seed than 1.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bloomery/filter/leased_filter.h"
#include "bloomery/guard/leased_source.h"
#include "feed/redis_sink.h"
#include "filter/leased/lease_page.h"
#include "tests/base/long_tests.h"
#include "tests/feed/running_feeder.h"
#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

using namespace std::chrono_literals;

feed::KeyBatch rows_between(std::uint64_t first, std::uint64_t end) {
  feed::KeyBatch batch;
  for (; first < end; ++first) {
    const std::string key = "row" + std::to_string(first);
    batch.add(std::as_bytes(std::span(key)));
  }
  return batch;
}

feed::RedisSinkOptions sink_options(const LiveServer& server, std::chrono::nanoseconds bound) {
  return {.url = {.endpoint = {.host = "", .port = 0, .socket_path = server.socket()}, .login = {}},
          .key = "users",
          .slot = "slot",
          .fpp = 1e-6,
          .bound = bound,
          .settled = 0s,
          .limits = {.connect = 1s, .answer = 1s, .total = 1s}};
}

class MirrorTest : public OneServerTest {
 protected:
  void SetUp() override {
    OneServerTest::SetUp();
    if (!IsSkipped()) {
      sink_ = std::make_unique<feed::RedisSink>(sink_options(server(), 60s));
    }
  }
  std::string url() const { return "unix://" + server_->socket(); }
  std::vector<std::string> words(const std::string& key = "users") const { return {url(), key, path_}; }
  void start_mirror() { mirror_ = std::make_unique<RunningFeeder>(folder_, words(), kMirror); }
  std::string refusal(const std::vector<std::string>& all) {
    RunningFeeder refused(folder_, all, kMirror);
    EXPECT_EQ(refused.wait(), 2) << refused.log();
    return refused.log();
  }
  // Makes the key, with the rows before `end` and a lease.
  void build(std::uint64_t end, std::uint64_t capacity = 10'000) {
    ASSERT_TRUE(sink_->begin_build(capacity));
    ASSERT_TRUE(sink_->insert_scanned(rows_between(0, end)));
    ASSERT_TRUE(sink_->finish_build({.position = 5, .system = 7, .timeline = 1, .keys = end}));
    renew();
  }
  void renew() { ASSERT_TRUE(sink_->renew(boot_clock_ns())); }
  LeaseAnswer answer(const std::string& text) {
    if (!file_) {
      if (Result<LeasedFilter> opened = LeasedFilter::open(path_); opened) {
        file_.emplace(std::move(*opened));
      }
    }
    const std::string_view part = text;
    return file_ ? *file_->answer(std::span(&part, 1)) : LeaseAnswer::kNoLease;
  }
  // Renews the key's lease until the file says no: its horizon must pass the begin of the mirror first.
  bool says_no() {
    return comes_true(
        [&] {
          renew();
          return answer("nobody") == LeaseAnswer::kNo;
        },
        20);
  }
  bool is_void() {
    return comes_true([&] { return answer("nobody") == LeaseAnswer::kNoLease; }, 20);
  }

  inline static const std::vector<std::string> kMirror{"mirror"};
  std::string path_ = folder_.path("users.leased");
  std::unique_ptr<feed::RedisSink> sink_;
  std::unique_ptr<RunningFeeder> mirror_;
  std::optional<LeasedFilter> file_;
};

TEST_F(MirrorTest, FollowsTheKeyByItsNewItems) {
  ASSERT_TRUE(sink_->open());
  build(1000);
  start_mirror();
  ASSERT_TRUE(says_no()) << mirror_->log();
  for (std::uint64_t row = 0; row < 1000; ++row) {
    ASSERT_EQ(answer("row" + std::to_string(row)), LeaseAnswer::kMaybe) << row;
  }
  // A new row is there within a second: twenty rows, one after the other.
  for (std::uint64_t row = 1000; row < 1020; ++row) {
    ASSERT_TRUE(sink_->insert(rows_between(row, row + 1)));
    EXPECT_TRUE(comes_true([&] { return answer("row" + std::to_string(row)) == LeaseAnswer::kMaybe; }, 10))
        << row;
  }
  EXPECT_EQ(answer("nobody"), LeaseAnswer::kNo);
  // More new rows than the key's list has: the filter is copied again.
  ASSERT_TRUE(sink_->insert(rows_between(1020, 6000)));
  renew();
  EXPECT_TRUE(comes_true(
      [&] { return answer("row5999") == LeaseAnswer::kMaybe && answer("nobody") == LeaseAnswer::kNo; }));
  for (std::uint64_t row = 0; row < 6000; ++row) {
    ASSERT_EQ(answer("row" + std::to_string(row)), LeaseAnswer::kMaybe) << row;
  }
  EXPECT_LT(file_->current_fpp(), 1e-4);
  EXPECT_EQ(server()("CONFIG", "RESETSTAT"), "+OK");
  std::this_thread::sleep_for(1s);
  EXPECT_EQ(server()("INFO", "commandstats").find("scandump"), std::string::npos) << "it dumps without need";
  EXPECT_EQ(mirror_->end(SIGTERM), 0);
  EXPECT_NE(mirror_->log().find("stopped"), std::string::npos);
}

TEST_F(MirrorTest, ARebuildHasAnotherSecretAndReadersGoOn) {
  ASSERT_TRUE(sink_->open());
  build(100);
  start_mirror();
  ASSERT_TRUE(says_no()) << mirror_->log();
  for (std::uint64_t rows = 200; rows < 600; rows += 100) {
    build(rows);
    EXPECT_TRUE(comes_true([&] { return answer("row" + std::to_string(rows - 1)) == LeaseAnswer::kMaybe; }));
    EXPECT_TRUE(says_no()) << mirror_->log();
    for (std::uint64_t row = 0; row < rows; ++row) {
      ASSERT_NE(answer("row" + std::to_string(row)), LeaseAnswer::kNo) << row;
    }
  }
  const std::uint64_t generation = file_->state().generation;
  for (std::uint64_t older = 1; older < generation; ++older) {
    const std::string left = path_ + "." + std::to_string(older);
    EXPECT_FALSE(std::filesystem::exists(left)) << left;
    EXPECT_FALSE(std::filesystem::exists(left + ".key")) << left;
  }
}

TEST_F(MirrorTest, TheLeaseEndsWithTheKeys) {
  sink_ = std::make_unique<feed::RedisSink>(sink_options(server(), 2s));
  ASSERT_TRUE(sink_->open());
  build(10);
  start_mirror();
  ASSERT_TRUE(says_no()) << mirror_->log();
  EXPECT_LE(file_->state().remaining_ns, 2'000'000'000U);
  renew();
  const std::uint64_t renewed = boot_clock_ns();
  while (answer("nobody") != LeaseAnswer::kNoLease) {
    ASSERT_LT(boot_clock_ns(), renewed + 2'500'000'000) << "nobody renews the key";
    std::this_thread::sleep_for(1ms);
  }
  // Nor does it outlive a feeder's doubt, a partition, or the mirror itself.
  ASSERT_TRUE(says_no());
  sink_->make_void();
  EXPECT_TRUE(is_void());
  ASSERT_TRUE(says_no());
  ::kill(server().process(), SIGSTOP);
  EXPECT_TRUE(is_void());
  ::kill(server().process(), SIGCONT);
  ASSERT_TRUE(says_no()) << mirror_->log();
  mirror_->end(SIGKILL);
  EXPECT_TRUE(is_void());
  mirror_->start();
  EXPECT_TRUE(says_no()) << mirror_->log();
}

TEST_F(MirrorTest, AKeyThatIsRenamedEmptiedOrReplacedIsSaidClearly) {
  ASSERT_TRUE(sink_->open());
  start_mirror();  // before there is a key
  EXPECT_TRUE(mirror_->says("expected a key that a feeder feeds, found none")) << mirror_->log();
  build(10);
  ASSERT_TRUE(says_no()) << mirror_->log();
  server()("RENAME", "users", "other");
  EXPECT_TRUE(is_void());
  server()("RENAME", "other", "users");
  EXPECT_TRUE(says_no()) << mirror_->log();
  server()("FLUSHALL");
  EXPECT_TRUE(is_void());
  server()("SET", "users", "1");
  EXPECT_TRUE(mirror_->says("found another value")) << mirror_->log();
  server()("DEL", "users");
  ASSERT_TRUE(sink_->open());
  build(20);
  EXPECT_TRUE(comes_true([&] {
    renew();
    return answer("nobody") == LeaseAnswer::kNo && answer("row19") == LeaseAnswer::kMaybe;
  })) << mirror_->log();
}

TEST_F(MirrorTest, WhatIsNoFedKeyIsRefused) {
  server()("SET", "text", "1");
  EXPECT_NE(refusal(words("text")).find("found another value"), std::string::npos);
  server()("BLOOM.ADD", "alone", "a");
  EXPECT_NE(refusal(words("alone")).find("expected a filter that `bloomery feed"), std::string::npos);
  EXPECT_NE(refusal({"http://x", "users", path_}).find("redis://"), std::string::npos);
  EXPECT_EQ(refusal({url(), "users"}).find("FILE is required") == std::string::npos, false);
  folder_.write("notes", "no page");
  EXPECT_NE(refusal({url(), "users", folder_.path("notes")}).find("notes"), std::string::npos);
  EXPECT_EQ(folder_.read("notes"), "no page");
  ASSERT_TRUE(LeasePage::open_for_feeder(folder_.path("fed.leased"), "a_slot"));
  EXPECT_NE(refusal({url(), "users", folder_.path("fed.leased")}).find("of the slot a_slot"),
            std::string::npos);
  RunningFeeder away(folder_, {"unix://" + folder_.path("nobody"), "users", path_}, kMirror);
  EXPECT_TRUE(away.says("waiting: ")) << away.log();
  EXPECT_EQ(away.end(SIGTERM), 0) << "a server may come later";
}

TEST_F(MirrorTest, AFilterThatHasGrownIsMaybeUntilItIsRebuilt) {
  ASSERT_TRUE(sink_->open());
  build(10, 1000);
  start_mirror();
  ASSERT_TRUE(says_no()) << mirror_->log();
  ASSERT_TRUE(sink_->insert(rows_between(10, 20'000)));
  EXPECT_TRUE(is_void());
  EXPECT_TRUE(mirror_->says("it has grown beyond its capacity")) << mirror_->log();
  build(20'000, 30'000);
  EXPECT_TRUE(says_no()) << mirror_->log();
}

// ---- kills

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

constexpr std::chrono::milliseconds kMirrorBound{1000};

// Feeds the key with the rows of `committed`, until it is killed. An error ends a session, as in a feeder.
[[noreturn]] void feed_rows(const LiveServer& server, const std::atomic<std::uint64_t>& committed) {
  for (;; std::this_thread::sleep_for(50ms)) {
    feed::RedisSink sink(sink_options(server, kMirrorBound));
    const Result<std::optional<feed::FeedRecord>> opened = sink.open();
    if (!opened) {
      continue;
    }
    feed::FeedRecord record = opened->value_or(feed::FeedRecord{.system = 7, .timeline = 1});
    std::uint64_t built_at = record.position;
    bool is_built = opened->has_value();
    for (bool goes_on = true; goes_on;) {
      const std::uint64_t asked_ns = boot_clock_ns();
      const std::uint64_t rows = committed.load();
      if (!is_built || record.keys > 15'000 || rows > built_at + 10'000) {
        record.position = rows;
        record.keys = rows;
        goes_on = sink.begin_build(rows + 20'000) && sink.insert_scanned(rows_between(0, rows));
        const auto finished = goes_on ? sink.finish_build(record) : Result<feed::FeedRecord>(record);
        goes_on = goes_on && finished;
        record = goes_on ? *finished : record;
        record.keys = 0;
        built_at = rows;
        is_built = true;
      } else {
        goes_on = static_cast<bool>(sink.insert(rows_between(record.position, rows)));
        record.keys += rows - record.position;
        record.position = rows;
      }
      goes_on = goes_on && sink.save(record) && sink.renew(asked_ns);
      std::this_thread::sleep_for(10ms);
    }
  }
}

TEST_F(MirrorTest, NoRowIsDeniedBeyondTheBoundWhateverIsKilled) {
  const std::uint64_t kills = number_of("BLOOMERY_MIRROR_KILLS", runs_long_tests() ? 200 : 30);
  const std::uint64_t seed = number_of("BLOOMERY_MIRROR_SEED", 1);
  std::mt19937_64 random(seed);
  auto* const committed =
      new (::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
          std::atomic<std::uint64_t>(0);
  // What a server saved when it was last told to is what it has after a kill.
  server_.reset();
  const auto start_server = [&] { server_ = std::make_unique<LiveServer>(folder_, "s"); };
  start_server();
  pid_t feeder = 0;
  const auto start_feeder = [&] {
    feeder = ::fork();
    if (feeder == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      feed_rows(*server_, *committed);
    }
  };
  start_feeder();
  start_mirror();
  ASSERT_TRUE(comes_true([&] { return answer("nobody") == LeaseAnswer::kNo; })) << mirror_->log();
  const auto source = guard::LeasedSource::open(path_);
  ASSERT_TRUE(source) << source.error().to_string();

  std::deque<std::pair<std::uint64_t, std::int64_t>> young;  // rows and when they were committed
  std::uint64_t next = 0;
  std::uint64_t wrong = 0;
  std::uint64_t asked = 0;
  std::uint64_t certain = 0;
  std::uint64_t went_back = 0;
  std::int64_t horizon = 0;
  const auto deny = [&](std::uint64_t row, std::int64_t at) {
    const auto now = static_cast<std::int64_t>(boot_clock_ns());  // the answer is of a later moment
    const guard::Asked said = (*source)->ask("row" + std::to_string(row));
    ++asked;
    // A no counts within the bound, and not for a row that was committed before the horizon.
    wrong += std::uint64_t{!said.may_contain && (now - at > 1'000'000'000 || at < said.seen.horizon_ns)};
  };
  const auto write_and_ask = [&] {
    for (int i = 0; i < 5; ++i) {
      ++next;
      committed->store(next);
      young.emplace_back(next - 1, static_cast<std::int64_t>(boot_clock_ns()));
    }
    for (const auto& [row, at] : young) {
      deny(row, at);
    }
    while (!young.empty() && guard::machine_now_ns() - young.front().second > 1'500'000'000) {
      young.pop_front();
    }
    const std::uint64_t older = young.empty() ? next : young.front().first;
    for (int i = 0; i < 20 && older > 0; ++i) {
      deny(random() % older, 0);
    }
    const guard::Asked nobody = (*source)->ask("nobody" + std::to_string(random()));
    certain += std::uint64_t{!nobody.may_contain};
    if (nobody.seen.phase == guard::FilterPhase::kComplete) {
      went_back += std::uint64_t{nobody.seen.horizon_ns < horizon};
      horizon = std::max(horizon, nobody.seen.horizon_ns);
    }
  };
  const auto run_for = [&](std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    do {
      write_and_ask();
      std::this_thread::sleep_for(2ms);
    } while (std::chrono::steady_clock::now() < end);
  };
  for (std::uint64_t kill = 0; kill < kills; ++kill) {
    run_for(std::chrono::milliseconds(random() % 700));
    switch (random() % 4) {
      case 0:
        mirror_->end(SIGKILL);
        mirror_->start();
        break;
      case 1:
        ::kill(feeder, SIGKILL);
        ::waitpid(feeder, nullptr, 0);
        start_feeder();
        break;
      case 2:  // the server comes back as it was when it saved, or empty
        server_->kill();
        start_server();
        ASSERT_TRUE(server_->is_up());
        break;
      default:  // a partition: nobody reaches the server
        ::kill(server_->process(), SIGSTOP);
        run_for(std::chrono::milliseconds(random() % 1500));
        ::kill(server_->process(), SIGCONT);
    }
    if (random() % 3 == 0) {
      (*server_)("SAVE");
    }
  }
  EXPECT_TRUE(comes_true([&] {
    write_and_ask();
    return !(*source)->ask("nobody").may_contain;
  })) << mirror_->log();
  ::kill(feeder, SIGKILL);
  ::waitpid(feeder, nullptr, 0);
  std::cout << "seed " << seed << ": " << kills << " kills, " << next << " rows, " << asked << " questions, "
            << wrong << " wrong, " << certain << " certain noes\n";
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(went_back, 0U) << "a guard forgets its writes by the horizon";
  EXPECT_GT(certain, kills);
}

}  // namespace
}  // namespace bloomery
