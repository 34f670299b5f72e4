// The module's counters since it was loaded, for INFO bloomery. Threads: the server's main thread.
#pragma once

#include <cstdint>

namespace bloomery::redis_module {

struct Counters {
  std::uint64_t items_added = 0;  // items that changed a key
  std::uint64_t items_removed = 0;
  std::uint64_t items_known = 0;  // items that were to be added and already known
  std::uint64_t items_queried = 0;
  std::uint64_t items_refused = 0;  // items refused because a key was full or at a limit
  std::uint64_t pieces_moved = 0;   // memory blocks that active defragmentation moved
};

inline Counters& counters() {
  static Counters values;
  return values;
}

}  // namespace bloomery::redis_module
