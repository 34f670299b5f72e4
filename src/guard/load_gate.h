// Limits the number of concurrent loads from the database. Further loads wait.
//
// While the cache is down, the limit is `without_cache`. After it is back, the limit rises linearly to
// `at_once`: the cache may be empty, and all callers would load at once.
//
//   limit   loads_at_once ───┐                        ┌───
//                            │                  ╱─────┘
//           without_cache    └───────────────╱
//                        cache down       cache up   + recovery
//
// Threads: all calls may run together.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace bloomery::guard {

struct LoadLimits {
  std::uint32_t at_once = 64;
  std::uint32_t without_cache = 8;
  std::chrono::milliseconds recovery{10'000};
};

class LoadGate {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit LoadGate(const LoadLimits& limits) : limits_(limits) {}

  // Waits for a free slot. Returns false if there is none by the deadline.
  bool enter(Time deadline) {
    std::unique_lock lock(mutex_);
    for (Time now = Time::clock::now(); inside_ >= limit(now); now = Time::clock::now()) {
      if (now >= deadline) {
        return false;
      }
      ++waiting_;
      // Nobody notifies when the limit rises, so a rising limit is checked every 20 ms.
      (void)left_.wait_until(lock, is_rising_ ? std::min(deadline, now + kLook) : deadline);
      --waiting_;
    }
    ++inside_;
    return true;
  }
  void leave() {
    {
      const std::lock_guard lock(mutex_);
      --inside_;
    }
    left_.notify_one();
  }

  void cache_went_down() {
    const std::lock_guard lock(mutex_);
    is_down_ = true;
  }
  void cache_came_back() {
    {
      const std::lock_guard lock(mutex_);
      if (!is_down_) {
        return;
      }
      is_down_ = false;
      is_rising_ = true;
      back_ = Time::clock::now();
    }
    left_.notify_all();
  }
  // Returns true if the cache came back so recently that it may still be empty.
  bool is_recovering() {
    const std::lock_guard lock(mutex_);
    (void)limit(Time::clock::now());
    return is_rising_;
  }

  std::uint32_t inside() const {
    const std::lock_guard lock(mutex_);
    return inside_;
  }
  std::uint32_t waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }
  std::uint32_t limit_now() {
    const std::lock_guard lock(mutex_);
    return limit(Time::clock::now());
  }

 private:
  static constexpr std::chrono::milliseconds kLook{20};

  std::uint32_t limit(Time now) {
    if (is_down_) {
      return limits_.without_cache;
    }
    if (!is_rising_) {
      return limits_.at_once;
    }
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now - back_);
    if (since >= limits_.recovery) {
      is_rising_ = false;
      return limits_.at_once;
    }
    const auto more = std::uint64_t{limits_.at_once - limits_.without_cache} *
                      static_cast<std::uint64_t>(since.count()) /
                      static_cast<std::uint64_t>(limits_.recovery.count());
    return limits_.without_cache + static_cast<std::uint32_t>(more);
  }

  const LoadLimits limits_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable left_;
  std::uint32_t inside_ = 0;
  std::uint32_t waiting_ = 0;
  bool is_down_ = false;
  bool is_rising_ = false;
  Time back_ = {};
};

}  // namespace bloomery::guard
