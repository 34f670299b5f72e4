// Time for filters that forget: how much of it passed between two looks at the clocks.
//
// A reading has two clocks. The one that counts from the machine's start (CLOCK_BOOTTIME: it runs on while
// the machine sleeps, and nobody sets it) is believed whenever both readings are of one boot, which its id
// tells; the wall clock, which people and networks set, only where they are not:
//
//   same boot, not all zeroes     what the boot clock says; a wall clock that jumps is of no effect
//   otherwise                     what the wall clock says; one that was set back: nothing
//
// So a clock set back lets no time pass: what is to be forgotten is remembered longer, never shorter. Over a
// start of the machine a wall clock set forward cannot be told from time that passed; it lets a filter forget
// too early. Keeping the later of all wall clocks seen (later_of()) makes a clock that goes back and forth
// over many starts pass once, not every time.
//
// What it does not do: see through a time namespace that shifts the boot clock under the same boot id.
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

// The machine's: CLOCK_BOOTTIME, CLOCK_REALTIME, and the id in /proc/sys/kernel/random/boot_id, which is read
// once in a process. Where there is none, only the wall clock counts from one opening of a file to the next.
ClockReading read_machine_clock();

// Called from any thread. Of one clock the boot id stays and since_boot_ns never goes back.
using WindowClock = std::function<ClockReading()>;

// Nanoseconds from `from` to `to`, never less than 0. Pure.
std::uint64_t elapsed_ns(const ClockReading& from, const ClockReading& to);

// What to keep of `to` when `from` was kept before: no clock in it goes back within a boot, and the wall
// clock never does. Pure.
ClockReading later_of(const ClockReading& from, const ClockReading& to);

}  // namespace bloomery
