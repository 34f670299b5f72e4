#include "store/environment.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

namespace bloomery::store {
namespace {

using std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;
using Job = std::function<void()>;

template <typename Time>
auto ms_of(Time time) {
  return std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count();
}

class SystemClock final : public Clock {
 public:
  std::int64_t now_ms() override { return ms_of(std::chrono::system_clock::now()); }
  std::uint64_t steady_ms() override {
    return static_cast<std::uint64_t>(ms_of(std::chrono::steady_clock::now()));
  }
};

// The jobs of a thread, which owns them together with its executor: the executor may be destroyed by one of
// its own jobs.
class Jobs {
 public:
  void post(Job job);
  void post_at(SteadyTime time, Job job);
  void stop();
  // Runs jobs until stop().
  void run();

  std::uint64_t wakes();
  void wake();
  void wait_for_wake(std::uint64_t seen);

 private:
  Job take_due();
  Job next();

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<Job> due_;
  std::multimap<SteadyTime, Job> delayed_;
  bool is_stopping_ = false;
  std::condition_variable woken_;
  std::uint64_t wakes_ = 0;
};

void Jobs::post(Job job) {
  const std::lock_guard lock(mutex_);
  if (!is_stopping_) {
    due_.push_back(std::move(job));
    changed_.notify_one();
  }
}

void Jobs::post_at(SteadyTime time, Job job) {
  const std::lock_guard lock(mutex_);
  if (!is_stopping_) {
    delayed_.emplace(time, std::move(job));
    changed_.notify_one();
  }
}

void Jobs::stop() {
  const std::lock_guard lock(mutex_);
  is_stopping_ = true;
  changed_.notify_one();
}

// Takes a job that is due, or none. It allocates nothing, because nobody could be told of a failure.
Job Jobs::take_due() {
  Job job;
  if (!delayed_.empty() && delayed_.begin()->first <= std::chrono::steady_clock::now()) {
    job = std::move(delayed_.begin()->second);
    delayed_.erase(delayed_.begin());
  } else if (!due_.empty()) {
    job = std::move(due_.front());
    due_.pop_front();
  }
  return job;
}

// Waits for a job that is due. Returns none if there is none and stop() was called.
Job Jobs::next() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (Job job = take_due()) {
      return job;
    }
    if (is_stopping_) {
      return nullptr;
    }
    if (delayed_.empty()) {
      changed_.wait(lock);
    } else {
      const SteadyTime time = delayed_.begin()->first;
      changed_.wait_until(lock, time);
    }
  }
}

void Jobs::run() {
  while (const Job job = next()) {
    job();
  }
  std::multimap<SteadyTime, Job> dropped;  // destroyed without the lock: a job may own an executor
  const std::lock_guard lock(mutex_);
  dropped.swap(delayed_);
}

std::uint64_t Jobs::wakes() {
  const std::lock_guard lock(mutex_);
  return wakes_;
}

void Jobs::wake() {
  const std::lock_guard lock(mutex_);
  ++wakes_;
  woken_.notify_all();
}

void Jobs::wait_for_wake(std::uint64_t seen) {
  std::unique_lock lock(mutex_);
  woken_.wait(lock, [&] { return wakes_ != seen; });
}

class ThreadExecutor final : public Executor {
 public:
  ThreadExecutor() : thread_([jobs = jobs_] { jobs->run(); }) {}
  ThreadExecutor(const ThreadExecutor&) = delete;
  ThreadExecutor& operator=(const ThreadExecutor&) = delete;
  ~ThreadExecutor() override {
    ThreadExecutor::stop();
    if (thread_.joinable()) {
      thread_.detach();  // this is the thread itself, which ends after its job
    }
  }

  void post(Job job) override { jobs_->post(std::move(job)); }
  void post_after(std::uint64_t ms, Job job) override {
    jobs_->post_at(std::chrono::steady_clock::now() + milliseconds(ms), std::move(job));
  }
  // A wake() between the question and the wait is not lost: it is counted.
  void wait(const std::function<bool()>& is_done) override {
    for (;;) {
      const std::uint64_t seen = jobs_->wakes();
      if (is_done()) {
        return;
      }
      jobs_->wait_for_wake(seen);
    }
  }
  void wake() override { jobs_->wake(); }
  void stop() override {
    jobs_->stop();
    const std::lock_guard lock(join_mutex_);
    if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()) {
      thread_.join();
    }
  }

 private:
  std::shared_ptr<Jobs> jobs_ = std::make_shared<Jobs>();
  std::mutex join_mutex_;  // several threads may stop
  std::thread thread_;
};

}  // namespace

Environment Environment::real() {
  return {.files = &FileSystem::real(),
          .clock = std::make_shared<SystemClock>(),
          .executor = std::make_shared<ThreadExecutor>(),
          .seed = std::uint64_t{std::random_device()()} << 32 | std::random_device()()};
}

}  // namespace bloomery::store
