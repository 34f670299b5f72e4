// A clock that a test sets. The time of day may go back; the steady time never does.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "store/environment.h"

namespace bloomery::store::sim {

class SimulatedClock final : public Clock {
 public:
  explicit SimulatedClock(std::int64_t now_ms = 1'700'000'000'000) : now_ms_(now_ms) {}

  std::int64_t now_ms() override { return now_ms_; }
  std::uint64_t steady_ms() override { return steady_ms_; }

  // Advances both times.
  void advance(std::uint64_t ms);
  // Sets the time of day alone, as an administrator does.
  void set_now(std::int64_t now_ms) { now_ms_ = now_ms; }

 private:
  std::atomic<std::int64_t> now_ms_;
  std::atomic<std::uint64_t> steady_ms_{0};
};

}  // namespace bloomery::store::sim
