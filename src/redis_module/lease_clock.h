// Measures how far the server's wall clock was set back. A lease ends at a time of that clock, so it would
// run longer by the same amount.
//
// Each call compares the wall clock with a clock that nobody sets (CLOCK_BOOTTIME), and adds up what the wall
// clock has lost since the previous call. Gains are not subtracted, so expired leases stay expired.
//
// Threads: the threads that run commands, one at a time.
#pragma once

#include <cstdint>

namespace bloomery::redis_module {

// A smaller loss may be jitter, because a thread may be suspended between the readings of the two clocks.
// Small losses accumulate until they reach this.
inline constexpr std::int64_t kClockJitterMs = 100;

// Returns the milliseconds that the wall clock has lost since the first call. The number never decreases.
std::int64_t clock_lost_ms();

}  // namespace bloomery::redis_module
