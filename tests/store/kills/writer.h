// The process that is killed: opens a store and works on it with several threads until it ends, and reports
// what it begins and what has returned through a pipe.
//
// A report is one write of 8 bytes, which the operating system does not divide. So a report that was written
// is read, however soon the process is killed, and reports are in the order of what they report.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include <sys/types.h>

#include "tests/store/kills/operations.h"

namespace bloomery::store::kills {

struct Report {
  enum class Kind : std::uint8_t { kStarted, kOpened, kBegun, kReturned, kFailed };

  Kind kind = Kind::kStarted;
  std::uint8_t thread = 0;
  std::uint16_t unused = 0;
  std::uint32_t number = 0;
};
static_assert(sizeof(Report) == 8);

struct Work {
  std::string root = {};
  StoreOptions options = {};
  std::uint64_t seed = 1;
  std::array<std::uint32_t, kThreads> done = {};  // operations of each thread so far
  std::array<State, kThreads> states = {};        // and what the store has of them
};

// Runs in a forked process. Errors are printed, and reported as kFailed.
[[noreturn]] void write_until_killed(const Work& work, int reports);
// The same without a thread that writes: recovers, reports it, and waits.
[[noreturn]] void open_until_killed(const Work& work, int reports);

}  // namespace bloomery::store::kills
