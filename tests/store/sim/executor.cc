#include "tests/store/sim/executor.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace bloomery::store::sim {

void SeededExecutor::post(std::function<void()> job) {
  if (!is_stopped_) {
    due_.push_back(std::move(job));
  }
}

void SeededExecutor::post_after(std::uint64_t ms, std::function<void()> job) {
  if (!is_stopped_) {
    delayed_.emplace(clock_->steady_ms() + ms, std::move(job));
  }
}

// Appends the delayed jobs whose time has come.
void SeededExecutor::take_delayed() {
  const auto end = delayed_.upper_bound(clock_->steady_ms());
  for (auto job = delayed_.begin(); job != end; job = delayed_.erase(job)) {
    due_.push_back(std::move(job->second));
  }
}

// Runs the first job that is due. Returns false if there is none.
bool SeededExecutor::run_one() {
  take_delayed();
  if (due_.empty() || is_running_) {
    return false;
  }
  const std::function<void()> job = std::move(due_.front());
  due_.pop_front();
  is_running_ = true;
  job();
  is_running_ = false;
  return true;
}

// Runs the first job, and advances the clock to it if need be.
bool SeededExecutor::run_next() {
  take_delayed();
  if (due_.empty() && !delayed_.empty()) {
    clock_->advance(delayed_.begin()->first - clock_->steady_ms());
  }
  return run_one();
}

void SeededExecutor::wait(const std::function<bool()>& is_done) {
  std::uint64_t wakes = wakes_;
  if (is_done()) {
    return;
  }
  if (is_running_) {
    hang("a job waits, and the other jobs wait for it");
  }
  for (std::size_t i = 0; i < kMostJobsOfWait; ++i) {
    if (!run_next()) {
      hang(is_done() ? "the condition became true, and nobody called wake()"
                     : "no job is left that could end it");
    }
    if (wakes_ != wakes) {
      wakes = wakes_;
      if (is_done()) {
        return;
      }
    }
  }
  hang("the jobs go on and do not end it");
}

void SeededExecutor::stop() {
  run_due();
  is_stopped_ = true;
  std::exchange(delayed_, {}).clear();
}

std::size_t SeededExecutor::run_some(std::mt19937_64& random) {
  take_delayed();
  const std::size_t most = due_.empty() ? 0 : random() % (due_.size() + 1);
  std::size_t count = 0;
  while (count < most && run_one()) {
    ++count;
  }
  return count;
}

std::size_t SeededExecutor::run_due() {
  std::size_t count = 0;
  while (run_one()) {
    ++count;
  }
  return count;
}

// A destroyed job may own what posts another one.
void SeededExecutor::drop_all() {
  is_stopped_ = true;
  std::exchange(due_, {}).clear();
  std::exchange(delayed_, {}).clear();
}

void SeededExecutor::hang(const char* why) const {
  std::fprintf(stderr, "hang: %s: %s\n", run_.c_str(), why);
  std::abort();
}

}  // namespace bloomery::store::sim
