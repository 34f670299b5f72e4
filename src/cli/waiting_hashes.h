// The log in which hashes wait until the filter can be made or changed. It is in memory, and beyond that on
// disk.
#pragma once

#include <cstdint>
#include <string>

#include "filter/spool/hash_log.h"

namespace bloomery::cli {

// The memory for keys or hashes that must be counted before the filter is made. Beyond it they are spooled to
// disk.
constexpr std::uint64_t kWaitingMemory = std::uint64_t{8} << 20;

// Returns TMPDIR, or /tmp.
std::string usual_spool_directory();

// Returns an empty log of hashes, which uses kWaitingMemory.
HashLog log_of_waiting_hashes(const std::string& directory = usual_spool_directory());

}  // namespace bloomery::cli
