// Tests the simulated clock and background work: order, virtual time, and the hangs that it reports.
#include "tests/store/sim/executor.h"

#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/store/sim/clock.h"

namespace bloomery::store::sim {
namespace {

class SeededExecutorTest : public testing::Test {
 protected:
  std::function<void()> noting(const std::string& text) {
    return [this, text] { notes_ += text; };
  }

  std::shared_ptr<SimulatedClock> clock_ = std::make_shared<SimulatedClock>(1000);
  SeededExecutor executor_{clock_, "seed 17"};
  std::string notes_;
};

TEST_F(SeededExecutorTest, TheTimeOfDayMayGoBack) {
  clock_->advance(50);
  EXPECT_EQ(clock_->now_ms(), 1050);
  clock_->set_now(7);
  EXPECT_EQ(clock_->now_ms(), 7);
  clock_->advance(3);
  EXPECT_EQ(clock_->now_ms(), 10);
  EXPECT_EQ(clock_->steady_ms(), 53u);
}

TEST_F(SeededExecutorTest, JobsRunInTheirOrderWhenTheyAreDue) {
  executor_.post(noting("a"));
  executor_.post_after(20, noting("d"));
  executor_.post_after(10, noting("c"));
  executor_.post(noting("b"));
  EXPECT_EQ(notes_, "") << "never in the caller's call";
  EXPECT_EQ(executor_.run_due(), 2u);
  clock_->advance(9);
  EXPECT_EQ(executor_.run_due(), 0u);
  clock_->advance(1);
  executor_.run_due();
  EXPECT_EQ(notes_, "abc");
  EXPECT_EQ(executor_.jobs(), 1u);
}

TEST_F(SeededExecutorTest, ASeedRunsTheSameJobs) {
  const auto run = [](std::uint64_t seed) {
    SeededExecutor executor(std::make_shared<SimulatedClock>(), "run");
    std::mt19937_64 random(seed);
    std::string notes;
    for (int i = 0; i < 50; ++i) {
      executor.post([] {});
      notes += std::to_string(executor.run_some(random)) + " ";
    }
    return notes;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST_F(SeededExecutorTest, AWaitRunsJobsAndAdvancesTheClock) {
  bool is_done = false;
  executor_.post(noting("a"));
  executor_.post_after(500, [&] {
    notes_ += "b";
    is_done = true;
    executor_.wake();
  });
  executor_.post_after(501, noting("c"));
  executor_.wait([&] { return is_done; });
  EXPECT_EQ(notes_, "ab");
  EXPECT_EQ(clock_->steady_ms(), 500u);
}

TEST_F(SeededExecutorTest, StopRunsWhatIsDueAndDropsTheRest) {
  executor_.post([&] { executor_.post(noting("b")); });
  executor_.post_after(10, noting("later"));
  executor_.stop();
  EXPECT_EQ(notes_, "b");
  EXPECT_EQ(executor_.jobs(), 0u);
  executor_.post(noting("late"));
  EXPECT_EQ(executor_.run_due(), 0u);
}

TEST_F(SeededExecutorTest, ADeadProcessRunsNothing) {
  executor_.post(noting("a"));
  executor_.drop_all();
  executor_.stop();
  EXPECT_EQ(notes_, "");
}

using SeededExecutorDeathTest = SeededExecutorTest;

TEST_F(SeededExecutorDeathTest, HangsAreReported) {
  EXPECT_DEATH(executor_.wait([] { return false; }), "hang: seed 17: no job is left");
  bool is_done = false;
  executor_.post([&] { is_done = true; });
  EXPECT_DEATH(executor_.wait([&] { return is_done; }), "nobody called wake");
  executor_.drop_all();
  SeededExecutor busy(clock_, "seed 18");
  std::function<void()> again = [&] { busy.post_after(1, again); };
  busy.post(again);
  EXPECT_DEATH(busy.wait([] { return false; }), "hang: seed 18: the jobs go on");
  SeededExecutor waiting(clock_, "seed 19");
  waiting.post([&] { waiting.wait([] { return false; }); });
  EXPECT_DEATH(waiting.run_due(), "hang: seed 19: a job waits");
}

}  // namespace
}  // namespace bloomery::store::sim
