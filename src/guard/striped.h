// Frequently changed data, one copy per stripe, so that threads seldom write to the same cache line.
//
// Threads get stripes in turn, at first use. More threads than stripes share them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

namespace bloomery::guard {

inline constexpr std::size_t kStripes = 16;

inline std::size_t thread_stripe() {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t stripe = next.fetch_add(1, std::memory_order_relaxed) % kStripes;
  return stripe;
}

// Counters that are summed when they are read. A sum may miss concurrent increments.
template <std::size_t kCount>
class StripedCounters {
 public:
  void add(std::size_t counter, std::uint64_t count = 1) {
    stripes_[thread_stripe()].counts[counter].fetch_add(count, std::memory_order_relaxed);
  }
  std::uint64_t sum(std::size_t counter) const {
    std::uint64_t total = 0;
    for (const Stripe& stripe : stripes_) {
      total += stripe.counts[counter].load(std::memory_order_relaxed);
    }
    return total;
  }

 private:
  struct alignas(64) Stripe {
    std::array<std::atomic<std::uint64_t>, kCount> counts = {};
  };
  std::array<Stripe, kStripes> stripes_;
};

// A lock for data that is read often and replaced seldom. A reader locks its own stripe, a writer locks all.
class StripedSharedMutex {
 public:
  [[nodiscard]] std::shared_lock<std::shared_mutex> read() const {
    return std::shared_lock(stripes_[thread_stripe()].mutex);
  }

  void lock() {
    for (Stripe& stripe : stripes_) {
      stripe.mutex.lock();
    }
  }
  void unlock() {
    for (Stripe& stripe : stripes_) {
      stripe.mutex.unlock();
    }
  }

 private:
  struct alignas(64) Stripe {
    mutable std::shared_mutex mutex;
  };
  std::array<Stripe, kStripes> stripes_;
};

}  // namespace bloomery::guard
