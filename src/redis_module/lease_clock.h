// How far the server's wall clock was set back. A lease ends at a time of that clock, so it would run longer
// by as much.
//
// Each call compares the wall clock with a clock that nobody sets (CLOCK_BOOTTIME), and adds up what the wall
// clock has lost since the previous call. Gains are not subtracted: leases that have expired stay expired.
//
// Threads: those that run commands, one at a time.
#pragma once

#include <cstdint>

namespace bloomery::redis_module {

// A smaller loss is jitter, for a thread may wait between the readings of the two clocks. Small losses
// accumulate.
inline constexpr std::int64_t kClockJitterMs = 100;

// Returns the milliseconds that the wall clock has lost in this process. The number never falls.
std::int64_t clock_lost_ms();

}  // namespace bloomery::redis_module
