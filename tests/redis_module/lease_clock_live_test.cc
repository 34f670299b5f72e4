// Leases in a server whose wall clock is set: none runs for longer than it was given for.
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis_module/live_server.h"
#include "tests/redis_module/settable_clock.h"

namespace bloomery {
namespace {

using namespace std::chrono_literals;

constexpr long long kLong = 600'000;  // milliseconds that no test takes

class LeaseClock : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    clock_ = std::make_unique<SettableClock>(folder_);
    server_ = std::make_unique<LiveServer>(folder_, "s");
    ASSERT_TRUE(server_->is_up());
    for (const char* const key : {"k", "other"}) {
      ASSERT_EQ(server()("BLOOM.CREATE", key, "CAPACITY", "1000"), "+OK");
    }
  }
  LiveServer& server() { return *server_; }
  // Returns the server's time.
  long long feed(const std::string& before, const std::string& next, long long until) {
    const std::string reply = server()("BLOOM.FEED", "k", before, next, std::to_string(until));
    EXPECT_EQ(reply.substr(0, 2), "[:") << reply;
    return reply.starts_with("[:") ? std::stoll(reply.substr(2)) : 0;
  }
  long long number_of(const std::string& key, const std::string& field) {
    const std::string reply = server()("BLOOM.INFO", key);
    const std::size_t at = reply.find("+" + field + " :");
    EXPECT_NE(at, std::string::npos) << reply;
    return at == std::string::npos ? -1 : std::stoll(reply.substr(at + field.size() + 3));
  }
  long long left(const std::string& key = "k") { return number_of(key, "lease-left"); }

  std::unique_ptr<SettableClock> clock_;
  std::unique_ptr<LiveServer> server_;
};

TEST_F(LeaseClock, TheServersTimeIsWhatTheTestSets) {
  const long long before = feed("", "one", 0);
  clock_->step(-1h);
  const long long after = feed("one", "two", 0);
  EXPECT_LT(after, before - 3'000'000);
  EXPECT_GE(after, before - 3'600'000);
}

TEST_F(LeaseClock, ALeaseEndsInTimeAfterTheClockWasSetBack) {
  const long long now = feed("", "one", 0);
  feed("one", "two", now + 1000);
  EXPECT_EQ(server()("BLOOM.LEASE", "other", "1000"), "+OK");
  EXPECT_EQ(server()("CF.RESERVE", "deletable", "1000"), "+OK");
  EXPECT_EQ(server()("BLOOM.LEASE", "deletable", "1000"), "+OK");
  clock_->step(-1h);
  for (const char* const key : {"k", "other", "deletable"}) {
    EXPECT_LE(left(key), 1000) << key;
  }
  EXPECT_TRUE(server().wait_for({"BLOOM.EXISTS", "k", "absent"}, ":1")) << "its feeder is gone";
  EXPECT_TRUE(server().wait_for({"BLOOM.EXISTS", "other", "absent"}, ":1"));
  EXPECT_TRUE(server().wait_for({"CF.EXISTS", "deletable", "absent"}, ":1"));
  clock_->step(1h);
  EXPECT_EQ(left(), 0) << "what is over stays so";
}

TEST_F(LeaseClock, AClockThatIsSetForwardAndBackMakesNoLeaseLonger) {
  const long long now = feed("", "one", 0);
  feed("one", "two", now + kLong);
  clock_->step(1h);
  EXPECT_EQ(left(), 0) << "the lease is a time of that clock";
  EXPECT_EQ(server()("BLOOM.EXISTS", "k", "absent"), ":1");
  const long long later = feed("two", "three", 0);
  feed("three", "four", later + kLong);
  EXPECT_GT(left(), 0);
  clock_->step(-1h);
  EXPECT_GT(left(), 0);
  EXPECT_LE(left(), kLong);
}

// The feeder computes a lease from the answer of its last step, so the first one after that is by the clock of before.
TEST_F(LeaseClock, ALeaseCountsByTheClockThatTheFeederWasTold) {
  const long long told = feed("", "one", 0);
  clock_->step(-1h);
  const long long now = feed("one", "two", told + kLong);
  EXPECT_GT(left(), 0);
  EXPECT_LE(left(), kLong);
  feed("two", "three", now + kLong);
  EXPECT_GT(left(), 0);
  EXPECT_LE(left(), kLong);
  EXPECT_EQ(number_of("k", "lease-until"), now + kLong);
}

TEST_F(LeaseClock, ACopyHasTheLeaseAsItIsByTheClock) {
  const long long told = feed("", "one", 0);
  feed("one", "two", told + kLong);
  ASSERT_EQ(server()("BLOOM.LEASE", "other", std::to_string(kLong)), "+OK");
  clock_->step(-1h);
  EXPECT_EQ(server()("COPY", "k", "copy"), ":1");
  EXPECT_LE(left("copy"), kLong);
  const std::string dump = server()("DUMP", "k").substr(1);
  EXPECT_EQ(server()("RESTORE", "restored", "0", dump), "+OK");
  EXPECT_LE(left("restored"), kLong);
  EXPECT_EQ(server()("BLOOM.UNION", "union", "other"), "+OK");
  EXPECT_LE(left("union"), kLong);
  for (const char* const key : {"copy", "restored", "union"}) {
    EXPECT_GT(left(key), 0) << key;
  }
}

TEST_F(LeaseClock, JitterOfTheClockShortensNothing) {
  const long long told = feed("", "one", 0);
  const long long until = told + kLong;
  feed("one", "two", until);
  for (int i = 0; i < 10; ++i) {
    clock_->step(-20ms);
    EXPECT_EQ(number_of("k", "lease-until"), until);
    clock_->step(20ms);
    EXPECT_EQ(number_of("k", "lease-until"), until);
  }
}

}  // namespace
}  // namespace bloomery
