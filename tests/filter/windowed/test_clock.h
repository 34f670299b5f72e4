// A clock that goes as a test tells it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "bloomery/filter/window_clock.h"

namespace bloomery {

class TestClock {
 public:
  // A reading of now; the copy that a filter keeps follows this clock.
  const WindowClock& clock() const { return clock_; }

  void pass(std::uint64_t nanoseconds) {
    state_->since_boot_ns += nanoseconds;
    state_->wall_ns += static_cast<std::int64_t>(nanoseconds);
  }
  void jump_wall(std::int64_t nanoseconds) { state_->wall_ns += nanoseconds; }
  // Another boot, at once; 0 for one without an id.
  void reboot(int id) {
    state_->boot = id;
    state_->since_boot_ns = 1000;
  }

 private:
  struct State {
    std::atomic<int> boot{1};
    std::atomic<std::uint64_t> since_boot_ns{5'000'000};
    std::atomic<std::int64_t> wall_ns{1'800'000'000'000'000'000};
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  WindowClock clock_ = [state = state_] {
    ClockReading reading{.boot_id = {}, .since_boot_ns = state->since_boot_ns, .wall_ns = state->wall_ns};
    reading.boot_id[0] = static_cast<std::byte>(state->boot.load());
    return reading;
  };
};

}  // namespace bloomery
