// Counts the instructions of one piece of work under callgrind, and says how many operations it was.
//
// Without valgrind the requests to it are a few instructions of no effect, so that the program runs as it is.
#pragma once

#include <cstdint>
#include <utility>
#include <valgrind/callgrind.h>

namespace bloomery::instructions {

// The number of operations of the one piece of work that a process counts, and what came of it.
struct Counted {
  std::uint64_t operations = 0;
  std::uint64_t result = 0;  // which the script does not look at; it keeps answers from being optimised away
};

// Runs `work`, which returns a number that depends on all its answers. The script starts callgrind with
// --instr-atstart=no, so that nothing outside of `work` is counted, nor runs at the speed of counting.
template <typename Work>
[[gnu::noinline]] Counted counted(std::uint64_t operations, Work&& work) {
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  const std::uint64_t result = std::forward<Work>(work)();
  CALLGRIND_STOP_INSTRUMENTATION;
  return {.operations = operations, .result = result};
}

}  // namespace bloomery::instructions
