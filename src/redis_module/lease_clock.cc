#include "redis_module/lease_clock.h"

#include <ctime>
#include <optional>

namespace bloomery::redis_module {
namespace {

std::int64_t read_clock_ms(clockid_t clock) {
  std::timespec time{};
  (void)::clock_gettime(clock, &time);  // both clocks exist since Linux 2.6.39
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

struct WallClock {
  // The largest lead of the wall clock over CLOCK_BOOTTIME since the last loss.
  std::optional<std::int64_t> ahead_ms;
  std::int64_t lost_ms = 0;
};

}  // namespace

std::int64_t clock_lost_ms() {
  static WallClock wall;
  const std::int64_t ahead = read_clock_ms(CLOCK_REALTIME) - read_clock_ms(CLOCK_BOOTTIME);
  const std::int64_t before = wall.ahead_ms.value_or(ahead);
  if (before - ahead >= kClockJitterMs) {
    wall.lost_ms += before - ahead;
    wall.ahead_ms = ahead;
  } else {
    wall.ahead_ms = before > ahead ? before : ahead;
  }
  return wall.lost_ms;
}

}  // namespace bloomery::redis_module
