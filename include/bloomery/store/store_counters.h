// What a store has done since it was opened.
#pragma once

#include <cstdint>

namespace bloomery {

struct StoreCounters {
  std::uint64_t writes = 0;
  std::uint64_t groups = 0;   // of writes that were committed together
  std::uint64_t syncs = 0;    // of the log
  std::uint64_t flushes = 0;  // of regions
  std::uint64_t waits = 0;    // of writers, until memory had room or files were compacted
  std::uint64_t compactions = 0;
  std::uint64_t compacted_bytes = 0;     // of the files that were read
  std::uint64_t failed_compactions = 0;  // their tables are as they were
};

}  // namespace bloomery
