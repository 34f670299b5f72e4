// How far the server's wall clock was set back. A lease is a time of that clock, so it would run longer by as much.
//
// Each call compares the wall clock with a clock that nobody sets (CLOCK_BOOTTIME). What the former has lost since the call
// before is added up. What it gains is not: leases that are over by it then are over.
//
// Threads: those that run commands, one at a time.
#pragma once

#include <cstdint>

namespace bloomery::redis_module {

// A loss below this one is jitter, for a thread may wait between the readings of the two clocks. Small ones add up to it.
inline constexpr std::int64_t kClockJitterMs = 100;

// Returns the milliseconds that the wall clock has lost in this process. The number never falls.
std::int64_t clock_lost_ms();

}  // namespace bloomery::redis_module
