// The clock of filters that expire keys: it measures how much time has passed between two readings.
//
// A reading has two clocks. The boot clock (CLOCK_BOOTTIME) counts from the machine's start; it continues
// while the machine sleeps, and nobody sets it. People and networks set the wall clock. The boot ids of two
// readings decide which clock is used:
//
//   the same boot, not all zeroes   the boot clock; a wall clock that jumps has no effect
//   otherwise                       the wall clock; no time passes if it was set back
//
// So a clock that is set back lets no time pass: keys are remembered longer, never shorter. Across a
// reboot, a wall clock that is set forward looks like time that passed, and the filter forgets too early. A
// clock may also jump back and forth over many reboots. later_of() keeps the latest wall clock seen, so
// that such a clock counts only once.
//
// Limits: a time namespace that shifts the boot clock under the same boot id is not noticed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace bloomery {

struct ClockReading {
  std::array<std::byte, 16> boot_id = {};  // all zeroes: unknown
  std::uint64_t since_boot_ns = 0;         // less than 2^63
  std::int64_t wall_ns = 0;                // since 1970

  friend bool operator==(const ClockReading&, const ClockReading&) = default;
};

// Reads the machine's clocks: CLOCK_BOOTTIME, CLOCK_REALTIME, and the id in
// /proc/sys/kernel/random/boot_id, which is read once per process. Without an id, only the wall clock is
// compared from one opening of a file to the next.
ClockReading read_machine_clock();

// A clock may be called from any thread. Its boot id must be constant, and its since_boot_ns must never
// decrease.
using WindowClock = std::function<ClockReading()>;

// Returns the nanoseconds from `from` to `to`, never less than 0. Pure.
std::uint64_t elapsed_ns(const ClockReading& from, const ClockReading& to);

// Returns the reading to store when `to` has been read and `from` was stored before. Its wall clock is
// never earlier than in `from`, nor is its boot clock within one boot. Pure.
ClockReading later_of(const ClockReading& from, const ClockReading& to);

}  // namespace bloomery
