// What this process has in memory, and what it may still take.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

// Bytes of this process in memory now, and the most there have been. 0 where the system does not tell.
std::uint64_t resident_bytes();
std::uint64_t most_resident_bytes();

// Errors: kCapacity, when `more` bytes for `what` would take more than this machine or control group gives a
// process. Better than being killed for it.
Status check_memory_for(std::uint64_t more, const std::string& what);

// The error of that, when the system has refused.
Error no_memory(const std::string& what);

// Bytes for a filter under a bound on the whole process.
struct MemoryBound {
  std::uint64_t limit = 0;    // of everything
  std::uint64_t reserve = 0;  // what may still be taken besides the filter

  // Errors: kInvalidArgument, naming the least limit, when nothing worthwhile is left.
  Result<std::uint64_t> filter_bytes(std::uint64_t resident) const;
};

}  // namespace bloomery
