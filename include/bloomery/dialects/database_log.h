// A write-ahead log that was read with a database of LevelDB or RocksDB (database.h).
#pragma once

#include <cstdint>
#include <string>

namespace bloomery {

struct DatabaseLog {
  std::string name;  // "000007.log"
  std::uint64_t size_bytes = 0;
  std::uint64_t writes = 0;  // writes that have a key
  bool is_torn = false;      // its last write is incomplete, as after a crash
};

}  // namespace bloomery
