// The memory of this process: how much it has, and how much it may still take.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

// Return the bytes of this process that are in memory now, and the most there have been. 0 if the system does
// not tell.
std::uint64_t resident_bytes();
std::uint64_t most_resident_bytes();

// Checks that the process may take `more` bytes for `what`. Otherwise the kernel might kill it for them.
// Errors: kCapacity beyond what this machine or control group gives a process.
Status check_memory_for(std::uint64_t more, const std::string& what);

// Returns the error for memory that the system has refused.
Error no_memory(const std::string& what);

// A bound on the memory of the whole process, a part of which is for a filter.
struct MemoryBound {
  std::uint64_t limit = 0;    // for everything
  std::uint64_t reserve = 0;  // for what will still be taken besides the filter

  // Returns the bytes that are left for the filter. Errors: kInvalidArgument, which names the least limit, if
  // too little is left.
  Result<std::uint64_t> filter_bytes(std::uint64_t resident) const;
};

}  // namespace bloomery
