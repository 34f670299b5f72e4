// A time window measured by event times, not by when lines are read.
//
//   lines   -> KeyedBatch::times -> EventClock (the newest time so far) -> WindowedFilter
//
// A time before the newest one is counted, and replaced by the newest: the clock never goes back, so no key
// is forgotten too early or comes back. Lines of one time are queried together, after the clock is set to it.
// So a key is remembered for at least the window after the time of its line.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/window_clock.h"
#include "dedup/seen_keys.h"

namespace bloomery {

// A clock that is set explicitly. It has no boot id, so its wall clock counts from one run to the next.
// Within a run it counts the time since the first value set.
class EventClock {
 public:
  WindowClock clock() const {
    return [times = times_] {
      const std::int64_t newest = times->newest.load(std::memory_order_relaxed);
      return ClockReading{
          .since_boot_ns = static_cast<std::uint64_t>(newest - times->first.load(std::memory_order_relaxed)),
          .wall_ns = newest};
    };
  }
  // Precondition: `wall_ns` is above 0 and not before the newest.
  void set(std::int64_t wall_ns) {
    if (newest_ns() == 0) {
      times_->first.store(wall_ns, std::memory_order_relaxed);
    }
    times_->newest.store(wall_ns, std::memory_order_relaxed);
  }
  // Returns the newest time, or 0 before the first set().
  std::int64_t newest_ns() const { return times_->newest.load(std::memory_order_relaxed); }

 private:
  struct Times {
    std::atomic<std::int64_t> first{0};
    std::atomic<std::int64_t> newest{0};
  };
  std::shared_ptr<Times> times_ = std::make_shared<Times>();
};

class SeenByEventTime final : public SeenKeys {
 public:
  // Precondition: `seen` has a windowed filter by age that reads `clock`, and batches have their times.
  SeenByEventTime(SeenFilter& seen, EventClock& clock)
      : seen_(seen), clock_(clock), newest_ns_(clock.newest_ns()) {}

  Status add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) override;
  Losses losses() override { return seen_.losses(); }

  // Return the number of lines whose time was before the newest so far, and the largest difference.
  std::uint64_t backwards() const { return backwards_; }
  std::uint64_t furthest_back_ns() const { return furthest_back_ns_; }

 private:
  SeenFilter& seen_;
  EventClock& clock_;
  std::int64_t newest_ns_;
  std::uint64_t backwards_ = 0;
  std::uint64_t furthest_back_ns_ = 0;
  std::vector<std::uint64_t> answers_;
};

}  // namespace bloomery
