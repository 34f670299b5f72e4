// The memory of this process: its current use and its limit.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

// Return the resident bytes of this process: now, and the peak. 0 if the system does not tell.
std::uint64_t resident_bytes();
std::uint64_t most_resident_bytes();

// Checks that the process may allocate `more` bytes for `what`. Otherwise the kernel might kill it. Errors:
// kCapacity beyond the limit of this machine or control group.
Status check_memory_for(std::uint64_t more, const std::string& what);

// Returns the error for memory that the system has refused.
Error no_memory(const std::string& what);

// A bound on the memory of the process, some of which is for a filter.
struct MemoryBound {
  std::uint64_t limit = 0;    // for everything
  std::uint64_t reserve = 0;  // for all later allocations besides the filter

  // Returns the bytes that are left for the filter. Errors: kInvalidArgument, which names the least
  // sufficient limit, if too few are left.
  Result<std::uint64_t> filter_bytes(std::uint64_t resident) const;
};

}  // namespace bloomery
