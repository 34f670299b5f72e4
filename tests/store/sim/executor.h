// Background work as jobs that a test runs, in the test's own thread and in virtual time.
//
// Jobs run when the test calls run_some() or run_due(), and in wait(). wait() advances the clock to the next
// delayed job if no job is due. It ends the process, with a message and the run's name, on a hang:
//
//   - no job is left, and the condition is false
//   - the condition became true without a wake(), so that a real waiter would sleep on
//   - more than kMostJobsOfWait jobs did not make it true
//   - a job waits: the real executor's only thread would wait for itself
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "store/environment.h"
#include "tests/store/sim/clock.h"

namespace bloomery::store::sim {

class SeededExecutor final : public Executor {
 public:
  static constexpr std::size_t kMostJobsOfWait = 1'000'000;

  // `run` names the run in messages, such as "seed 17".
  SeededExecutor(std::shared_ptr<SimulatedClock> clock, std::string run)
      : clock_(std::move(clock)), run_(std::move(run)) {}

  void post(std::function<void()> job) override;
  void post_after(std::uint64_t ms, std::function<void()> job) override;
  void wait(const std::function<bool()>& is_done) override;
  void wake() override { ++wakes_; }
  void stop() override;

  // Runs a random number of the jobs that are due, in their order. Returns the number.
  std::size_t run_some(std::mt19937_64& random);
  // Runs all jobs that are due, also those that these post.
  std::size_t run_due();
  // Returns the number of jobs that wait for the clock or for their turn.
  std::size_t jobs() const { return due_.size() + delayed_.size(); }
  // Drops all jobs, as the death of a process does. Later ones are dropped, too.
  void drop_all();

 private:
  void take_delayed();
  bool run_one();
  bool run_next();
  [[noreturn]] void hang(const char* why) const;

  std::shared_ptr<SimulatedClock> clock_;
  std::string run_;
  std::deque<std::function<void()>> due_;
  std::multimap<std::uint64_t, std::function<void()>> delayed_;  // by steady ms
  std::uint64_t wakes_ = 0;
  bool is_running_ = false;
  bool is_stopped_ = false;
};

}  // namespace bloomery::store::sim
