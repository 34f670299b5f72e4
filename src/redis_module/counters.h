// Counts of what the module has done since it was loaded, for INFO bloomery. The server's main thread counts.
#pragma once

#include <cstdint>

namespace bloomery::redis_module {

struct Counters {
  std::uint64_t items_added = 0;  // items that changed a key
  std::uint64_t items_removed = 0;
  std::uint64_t items_known = 0;  // items that were given to be added and were known
  std::uint64_t items_queried = 0;
  std::uint64_t items_refused = 0;  // items that a full key or a limit refused
  std::uint64_t pieces_moved = 0;   // pieces of memory that active defragmentation moved
};

inline Counters& counters() {
  static Counters values;
  return values;
}

}  // namespace bloomery::redis_module
