// Tracks whether a server is up, from the results of calls. While it is down, few callers wait for it.
//
//   up ── three failures in a row ──> down ── one call per pause tries again, and succeeds ──> up
//
// The pause between tries doubles from 100 ms to 2 s.
//
// Threads: all calls may run together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "bloomery/guard/completeness.h"

namespace bloomery::guard {

class ServerHealth {
 public:
  enum class Change : std::uint8_t { kNone, kWentDown, kCameBack };

  bool is_down() const { return is_down_.load(std::memory_order_acquire); }

  // Returns true if the server may be called now. While it is down, one caller per pause gets true, and must
  // report the result by note().
  bool may_try() {
    if (!is_down()) {
      return true;
    }
    const std::int64_t now = machine_now_ns();
    std::int64_t next = next_try_ns_.load(std::memory_order_acquire);
    const std::int64_t pause = pause_ns_.load(std::memory_order_relaxed);
    return now >= next && next_try_ns_.compare_exchange_strong(next, now + pause, std::memory_order_acq_rel);
  }

  Change note(bool has_worked) {
    if (has_worked) {
      const bool had_failed = failures_.load(std::memory_order_relaxed) != 0;
      failures_.store(0, std::memory_order_relaxed);
      return had_failed && is_down_.exchange(false, std::memory_order_acq_rel) ? Change::kCameBack
                                                                               : Change::kNone;
    }
    if (failures_.fetch_add(1, std::memory_order_relaxed) + 1 < kFailuresToBeDown) {
      return Change::kNone;
    }
    const bool was_down = is_down_.exchange(true, std::memory_order_acq_rel);
    const std::int64_t pause = was_down
                                   ? std::min(2 * pause_ns_.load(std::memory_order_relaxed), kLongestPauseNs)
                                   : kShortestPauseNs;
    pause_ns_.store(pause, std::memory_order_relaxed);
    next_try_ns_.store(machine_now_ns() + pause, std::memory_order_release);
    return was_down ? Change::kNone : Change::kWentDown;
  }

 private:
  static constexpr std::uint32_t kFailuresToBeDown = 3;
  static constexpr std::int64_t kShortestPauseNs = 100'000'000;
  static constexpr std::int64_t kLongestPauseNs = 2'000'000'000;

  std::atomic<bool> is_down_{false};
  std::atomic<std::uint32_t> failures_{0};  // consecutive failures
  std::atomic<std::int64_t> next_try_ns_{0};
  std::atomic<std::int64_t> pause_ns_{0};
};

}  // namespace bloomery::guard
