// A few threads that refresh values, for guards without an executor.
//
// Work waits in a bounded queue. If the queue is full, the refresh is dropped; the next request for the stale
// value tries again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace bloomery::guard {

class RefreshThreads {
 public:
  explicit RefreshThreads(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      threads_.emplace_back([this] { work(); });
    }
  }
  RefreshThreads(const RefreshThreads&) = delete;
  RefreshThreads& operator=(const RefreshThreads&) = delete;
  // Waits for the running jobs, and drops the queued ones.
  ~RefreshThreads() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
      queue_.clear();
    }
    came_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  // Returns false if the queue is full.
  bool post(std::function<void()> job) {
    {
      const std::lock_guard lock(mutex_);
      if (queue_.size() >= kMostWaiting || is_ending_) {
        return false;
      }
      queue_.push_back(std::move(job));
    }
    came_.notify_one();
    return true;
  }

 private:
  static constexpr std::size_t kMostWaiting = 256;

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      came_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
      if (is_ending_) {
        return;
      }
      const std::function<void()> job = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  std::mutex mutex_;  // guards the members below
  std::condition_variable came_;
  std::deque<std::function<void()>> queue_;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace bloomery::guard
