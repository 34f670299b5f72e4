// A guard over a key of a live server believes a *no* only while the feeder's lease runs there, and passes whatever is wrong.
#include <csignal>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "bloomery/connect/redis_source.h"
#include "feed/redis_sink.h"
#include "filter/leased/lease_page.h"
#include "tests/guard/guard_parts.h"
#include "tests/redis_module/live_server.h"
#include "tests/redis_module/settable_clock.h"

namespace bloomery {
namespace {

using guard::FilterPhase;
using namespace std::chrono_literals;

feed::KeyBatch one(std::string_view key) {
  feed::KeyBatch batch;
  batch.add(std::as_bytes(std::span(key)));
  return batch;
}

class RedisSourceTest : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    clock_ = std::make_unique<SettableClock>(folder_);
    server_ = std::make_unique<LiveServer>(folder_, "s");
    ASSERT_TRUE(server_->is_up());
    source_ = source({.connect = 10s, .answer = 10s});
    sink_ = std::make_unique<feed::RedisSink>(feed::RedisSinkOptions{
        .url = {.endpoint = {.host = "", .port = 0, .socket_path = server_->socket()}, .login = {}},
        .key = "users",
        .slot = "slot",
        .fpp = 1e-6,
        .bound = 60s,
        .settled = 0s,
        .limits = {.connect = 10s, .answer = 10s, .total = 20s}});
    ASSERT_TRUE(sink_->open());
    EXPECT_TRUE(is_cold()) << "there is no key";
    ASSERT_TRUE(sink_->begin_build(1000));
    ASSERT_TRUE(sink_->insert_scanned(one("ann")));
    feed::FeedRecord record = {.position = 1};
    record.columns = 7;  // as `bloomery feed postgres` does; the bound is then not the record's last field
    ASSERT_TRUE(sink_->finish_build(record));
    EXPECT_TRUE(is_cold()) << "there is no lease";
    renew(3'000'000'000);  // so that later ones are newer by more than an answer takes
  }
  std::shared_ptr<guard::FilterSource> source(const RedisSourceOptions& options) const {
    return *redis_source("unix://" + server_->socket(), "users", options);
  }
  void renew(std::uint64_t ago_ns = 0) { ASSERT_TRUE(sink_->renew(boot_clock_ns() - ago_ns)); }
  bool is_cold() const {
    const guard::Asked asked = source_->ask("nobody");
    return asked.may_contain && asked.seen.phase == FilterPhase::kCold;
  }
  bool says_no() const {
    const guard::Asked asked = source_->ask("nobody");
    return !asked.may_contain && asked.seen.phase == FilterPhase::kComplete;
  }

  // Milliseconds that are left of the lease.
  long long lease_left() {
    const std::string info = (*server_)("BLOOM.INFO", "users");
    const std::size_t at = info.find("+lease-left :");
    return at == std::string::npos ? -1 : std::stoll(info.substr(at + 13));
  }

  std::unique_ptr<SettableClock> clock_;
  std::unique_ptr<LiveServer> server_;
  std::unique_ptr<feed::RedisSink> sink_;
  std::shared_ptr<guard::FilterSource> source_;
};

TEST_F(RedisSourceTest, TheHorizonIsTheMomentThatTheFeederVouchesFor) {
  EXPECT_TRUE(says_no());
  EXPECT_TRUE(source_->ask("ann").may_contain);
  renew();
  renew(1'000'000'000);  // a step may not shorten a lease
  const std::int64_t before = guard::machine_now_ns();
  const guard::Completeness seen = source_->ask("nobody").seen;
  EXPECT_LE(seen.horizon_ns, guard::machine_now_ns());
  EXPECT_GE(seen.horizon_ns, before - 5'000'000'000);
  EXPECT_EQ(source_->completeness().phase, FilterPhase::kComplete);
  EXPECT_GT(source_->figures().bytes, 0U);
  const Status inserted = source_->insert("new");
  ASSERT_FALSE(inserted);
  EXPECT_EQ(inserted.error().code(), ErrorCode::kUnsupported);
}

TEST_F(RedisSourceTest, WhateverIsWrongIsMaybe) {
  sink_->make_void();
  EXPECT_TRUE(is_cold());
  renew();
  EXPECT_TRUE(says_no());
  (*server_)("DEL", "users");
  EXPECT_TRUE(is_cold());
  (*server_)("SET", "users", "text");
  EXPECT_TRUE(is_cold());
  (*server_)("DEL", "users");
  (*server_)("BLOOM.ADD", "users", "by hand");
  EXPECT_TRUE(is_cold()) << "nobody feeds it";
  (*server_)("BLOOM.FEED", "users", "", "another program's", "1900000000000");
  EXPECT_TRUE(is_cold()) << "nobody knows its bound";
  for (const char* const record :
       {"feed=1 bound=", "feed=1 bound=0", "feed=1 bound=-1", "feed=1 bound=1x",
        "feed=1 bound=99999999999999999999", "feed=2 bound=1000", "feed=1 bound=1x columns=7"}) {
    (*server_)("DEL", "users");
    (*server_)("BLOOM.CREATE", "users");
    (*server_)("BLOOM.FEED", "users", "", record, "1900000000000");
    EXPECT_TRUE(is_cold()) << record;
  }
}

TEST_F(RedisSourceTest, AnOlderStateOfTheServerIsMaybeUntilItsLeaseIsNewer) {
  renew(2'000'000'000);
  const std::string dump = (*server_)("DUMP", "users").substr(1);
  renew();
  EXPECT_TRUE(says_no());
  ASSERT_EQ((*server_)("RESTORE", "users", "0", dump, "REPLACE"), "+OK");
  EXPECT_EQ((*server_)("BLOOM.EXISTS", "users", "nobody"), ":0") << "strangers go by the lease, which runs";
  EXPECT_TRUE(is_cold());
  ASSERT_TRUE(sink_->open());
  renew();
  EXPECT_TRUE(says_no());
}

// The key goes on with a lease that ends earlier by the server's clock. It is no older state, since its horizon is later.
TEST_F(RedisSourceTest, AClockThatWasSetBackIsNoOlderState) {
  EXPECT_TRUE(says_no());
  std::int64_t horizon = source_->ask("nobody").seen.horizon_ns;
  for (int i = 0; i < 3; ++i) {
    clock_->step(-1h);
    EXPECT_LE(lease_left(), 60'000) << "its feeder has not seen it";
    EXPECT_TRUE(guard::comes_true([&] {
      renew();
      EXPECT_LE(lease_left(), 60'000);
      return says_no();
    }));
    guard::Completeness seen;
    EXPECT_TRUE(guard::comes_true([&] {
      renew();
      seen = source_->ask("nobody").seen;
      return seen.horizon_ns > horizon;
    }));
    EXPECT_LE(seen.horizon_ns, guard::machine_now_ns());
    horizon = seen.horizon_ns;
  }
}

TEST_F(RedisSourceTest, AnOlderStateIsMaybeAfterTheClockWasSetBackToo) {
  clock_->step(-1h);
  renew(2'000'000'000);
  const std::string dump = (*server_)("DUMP", "users").substr(1);
  EXPECT_TRUE(guard::comes_true([&] {
    renew();
    return says_no();
  }));
  ASSERT_EQ((*server_)("RESTORE", "users", "0", dump, "REPLACE"), "+OK");
  EXPECT_EQ((*server_)("BLOOM.EXISTS", "users", "nobody"), ":0") << "strangers go by the lease, which runs";
  EXPECT_TRUE(is_cold());
}

// As after a restart with an earlier clock, while the feeder is away: the lease is one of a clock that nobody knows.
TEST_F(RedisSourceTest, ALeaseThatIsLongerThanTheBoundIsMaybe) {
  const std::string dump = (*server_)("DUMP", "users").substr(1);
  EXPECT_TRUE(says_no());
  clock_->step(-1h);
  ASSERT_EQ((*server_)("RESTORE", "users", "0", dump, "REPLACE"), "+OK");
  EXPECT_GT(lease_left(), 60'000);
  EXPECT_TRUE(is_cold());
  ASSERT_TRUE(sink_->open());
  EXPECT_TRUE(guard::comes_true([&] {
    renew();
    return says_no();
  })) << "what was not believed holds up nothing";
}

TEST_F(RedisSourceTest, AServerThatIsSilentOrGoneIsMaybeWithinTheLimitAndThenLeftAlone) {
  source_ = source({});
  ::kill(server_->process(), SIGSTOP);
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(is_cold());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(is_cold());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s) << "few calls wait for it";
  ::kill(server_->process(), SIGCONT);
  EXPECT_TRUE(guard::comes_true([&] { return says_no(); }));
  server_->kill();
  EXPECT_TRUE(is_cold());
  EXPECT_EQ(source_->completeness().phase, FilterPhase::kCold);
}

TEST_F(RedisSourceTest, AGuardRejectsByItAndReadsItsOwnWrites) {
  guard::Database database;
  database.commit("ann", "a row");
  guard::GuardOptions options = guard::patient();
  options.bound.time = 60s;
  const auto guarded = guard::made_guard(source_, database, options);
  EXPECT_TRUE(guarded->rejects("nobody"));
  EXPECT_TRUE(guard::finds(*guarded, "ann"));
  EXPECT_FALSE(guard::finds(*guarded, "nobody"));
  EXPECT_EQ(database.loads(), 1U);
  guard::Write write = guarded->write("new");
  database.commit("new", "another");
  EXPECT_TRUE(write.end());
  EXPECT_TRUE(guard::finds(*guarded, "new")) << "its feeder has not seen it yet";
  EXPECT_EQ(guarded->state(), guard::GuardState::kActive);
}

TEST(RedisSourceOptions, AreRefusedIfNoServerCouldTakeThem) {
  EXPECT_FALSE(redis_source("http://x", "k"));
  EXPECT_FALSE(redis_source("redis://x", "k", {.answer = 0ms}));
}

}  // namespace
}  // namespace bloomery
