// Tests the machine's own environment: a thread that runs jobs in order, and waiters that miss no wake().
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "store/environment.h"

namespace bloomery::store {
namespace {

TEST(RealEnvironment, JobsRunInOrderInAnotherThread) {
  const Environment environment = Environment::real();
  EXPECT_EQ(environment.files, &FileSystem::real());
  const auto caller = std::this_thread::get_id();
  std::string notes;
  for (const char c : std::string("abcdef")) {
    environment.executor->post([&, c] {
      EXPECT_NE(std::this_thread::get_id(), caller);
      notes += c;
    });
  }
  environment.executor->stop();
  EXPECT_EQ(notes, "abcdef");
}

TEST(RealEnvironment, ADelayedJobRunsLaterAndNotBeforeItsTime) {
  const Environment environment = Environment::real();
  const std::uint64_t begin = environment.clock->steady_ms();
  std::atomic<std::uint64_t> ran = 0;
  environment.executor->post_after(100'000, [] { FAIL() << "stop() drops it"; });
  environment.executor->post_after(30, [&] {
    ran = environment.clock->steady_ms();
    environment.executor->wake();
  });
  environment.executor->wait([&] { return ran != 0; });
  EXPECT_GE(ran, begin + 29);  // both times are rounded down
  environment.executor->stop();
  EXPECT_GT(environment.clock->now_ms(), 1'700'000'000'000);
}

TEST(RealEnvironment, NoWakeIsMissed) {
  const Environment environment = Environment::real();
  constexpr int kRounds = 2000;
  std::atomic<int> done = 0;
  std::vector<std::thread> waiters;
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&] {
      for (int round = 1; round <= kRounds; ++round) {
        environment.executor->wait([&] { return done >= round; });
      }
    });
  }
  for (int round = 1; round <= kRounds; ++round) {
    environment.executor->post([&] {
      ++done;
      environment.executor->wake();
    });
  }
  for (std::thread& waiter : waiters) {
    waiter.join();
  }
  EXPECT_EQ(done, kRounds);
}

// A job may have the last reference to its executor.
TEST(RealEnvironment, AJobMayDestroyItsExecutor) {
  std::atomic<bool> is_destroyed = false;
  {
    Environment environment = Environment::real();
    Executor& executor = *environment.executor;
    executor.post([&is_destroyed, owner = std::move(environment.executor)]() mutable {
      owner.reset();
      is_destroyed = true;
      is_destroyed.notify_one();
    });
  }
  is_destroyed.wait(false);
}

TEST(RealEnvironment, JobsAfterStopAreDropped) {
  const Environment environment = Environment::real();
  environment.executor->stop();
  environment.executor->stop();
  environment.executor->post([] { FAIL(); });
}

}  // namespace
}  // namespace bloomery::store
