// A feeder's key on a server whose clock is set back, or that another one with a slower clock follows. A lease is a time of
// that clock, so an old one would run for as long as the clock went back.
#include <atomic>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "feed/redis_sink.h"
#include "filter/leased/lease_page.h"
#include "tests/connect/redis/fake_server.h"

namespace bloomery::feed {
namespace {

using redis::line;
using redis::Say;
using redis::Words;

constexpr std::int64_t kBoundMs = 60'000;
constexpr std::uint64_t kSecondNs = 1'000'000'000;

// Takes every step, alone or in MULTI, and shows the time that the test sets.
struct Clock {
  std::atomic<std::int64_t> ahead_ms{1'700'000'000'000};  // of the clock that nobody sets
  std::atomic<std::int64_t> until_ms{0};                  // of the last step
  std::atomic<int> steps{0};
  bool is_multi = false;
  std::vector<std::string> queued = {};  // the replies that EXEC gives

  std::int64_t now_ms() const { return ahead_ms + static_cast<std::int64_t>(boot_clock_ns() / 1'000'000); }
  Say operator()(const Words& words) {
    if (words[0] == "EXEC") {
      is_multi = false;
      std::string bytes = "*" + std::to_string(queued.size()) + "\r\n";
      for (const std::string& reply : std::exchange(queued, {})) {
        bytes += reply;
      }
      return {.bytes = bytes};
    }
    if (words[0] == "MULTI") {
      is_multi = true;
      return line("+OK");
    }
    const Say alone = answer(words);
    if (is_multi) {
      queued.push_back(alone.bytes);
    }
    return is_multi ? line("+QUEUED") : alone;
  }
  Say answer(const Words& words) {
    if (words[0] == "CLUSTER") {
      return redis::kNoCluster;
    }
    if (words[0] == "TYPE") {
      return line("+none");
    }
    if (words[0] == "BLOOM.FEED") {
      until_ms = std::stoll(words[4]);
      ++steps;
      return line("*2\r\n:" + std::to_string(now_ms()) + "\r\n:0");
    }
    return line("+OK");
  }
};

class RedisSinkClock : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(sink_.open());
    ASSERT_TRUE(sink_.begin_build(1000));
    ASSERT_TRUE(sink_.finish_build({.position = 10}));
    ASSERT_TRUE(sink_.renew(boot_clock_ns()));
    expect_a_lease_within_the_bound();
  }
  void expect_a_lease_within_the_bound() const {
    EXPECT_GT(clock_.until_ms, clock_.now_ms());
    EXPECT_LE(clock_.until_ms, clock_.now_ms() + kBoundMs);
  }
  static KeyBatch one_key() {
    KeyBatch batch;
    batch.add(std::as_bytes(std::span("ann", 3)));
    return batch;
  }

  Clock clock_;
  redis::FakeServer server_{[this](const Words& words) { return clock_(words); }};
  RedisSink sink_{
      {.url = server_.url(), .key = "users", .slot = "slot_1", .bound = std::chrono::milliseconds(kBoundMs)}};
};

TEST_F(RedisSinkClock, ARenewalLeavesALeaseOfAtMostTheBoundOnceTheClockWasSetBack) {
  clock_.ahead_ms -= 3'600'000;
  ASSERT_TRUE(sink_.renew(boot_clock_ns())) << "its answer is the first that shows the other time";
  expect_a_lease_within_the_bound();
  ASSERT_TRUE(sink_.renew(boot_clock_ns()));
  expect_a_lease_within_the_bound();
}

TEST_F(RedisSinkClock, SoDoesEveryOtherStep) {
  clock_.ahead_ms -= 3'600'000;
  ASSERT_TRUE(sink_.insert(one_key()));
  expect_a_lease_within_the_bound();
  clock_.ahead_ms -= 3'600'000;
  ASSERT_TRUE(sink_.save({.position = 20}));
  expect_a_lease_within_the_bound();
  sink_.make_void();
  EXPECT_EQ(clock_.until_ms, 0);
  clock_.ahead_ms -= 3'600'000;
  ASSERT_TRUE(sink_.insert(one_key()));
  EXPECT_EQ(clock_.until_ms, 0) << "there is no lease to set right";
}

TEST_F(RedisSinkClock, AClockThatIsSetForwardGetsALeaseOfItsTime) {
  clock_.ahead_ms += 3'600'000;
  ASSERT_TRUE(sink_.renew(boot_clock_ns()));
  ASSERT_TRUE(sink_.renew(boot_clock_ns()));
  expect_a_lease_within_the_bound();
}

// A guard takes a key with a shorter lease for an older state, so neither jitter nor an earlier moment may shorten it.
TEST_F(RedisSinkClock, AnEarlierMomentAndJitterShortenNothing) {
  const std::int64_t before = clock_.until_ms;
  ASSERT_TRUE(sink_.renew(boot_clock_ns() - kSecondNs));
  EXPECT_GE(clock_.until_ms, before);
  std::int64_t last = clock_.until_ms;
  const int steps = clock_.steps;
  for (int i = 0; i < 20; ++i) {
    clock_.ahead_ms += i % 2 == 0 ? -20 : 20;
    ASSERT_TRUE(i % 3 == 0 ? sink_.insert(one_key()) : sink_.renew(boot_clock_ns()));
    EXPECT_GE(clock_.until_ms, last) << i;
    last = clock_.until_ms;
  }
  EXPECT_EQ(clock_.steps, steps + 20) << "no lease was set right";
}

}  // namespace
}  // namespace bloomery::feed
