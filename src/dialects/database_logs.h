// The write-ahead logs of a database: the choice of the needed ones, and the keys of all their writes.
//
// A log is needed if its number is at least the manifest's first log number, or if it is LevelDB's previous
// log. RocksDB may keep its logs in another folder, which the newest OPTIONS file names.
//
// Keys are kept as 128-bit hashes. Two keys with the same hash would cause a needless maybe, never a false
// negative.
//
// Sources: LevelDB 1.23, db/db_impl.cc; RocksDB 11.8 and its wiki, "RocksDB Options File".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/dialects/database_log.h"
#include "codec/sstable/live_files.h"
#include "filter/native/exception_table.h"

namespace bloomery {

class LogKeys {
 public:
  // Returns true if a write to one of the families has the key.
  bool contain(std::string_view key) const {
    return !table_.empty() && table_.contains(hash_bytes(key, HashSpec()));
  }
  std::uint64_t size() const { return table_.live(); }
  // Returns true if a custom comparator may treat different bytes as the same key. Then every key may be in
  // the logs.
  bool may_be_any() const { return may_be_any_; }

 private:
  friend class LogReading;

  ExceptionTable table_;
  bool may_be_any_ = false;
  MemoryShare memory_;
};

struct ReadLogs {
  std::vector<DatabaseLog> logs;
  std::shared_ptr<const LogKeys> keys;
};

// Reads the logs that `live` needs. Only writes to the families in `asked`, which maps their numbers to
// their comparators, count. Errors: kCorruption, kUnsupported, kCapacity, kIo; kNotFound if the log folder
// does not exist.
Result<ReadLogs> read_logs(const std::string& folder, const sstable::LiveFiles& live,
                           const std::map<std::uint64_t, std::string>& asked, const FileMemory& memory);

// Returns the number in a name such as 000007.log, of at most 20 digits; nothing for another name.
std::optional<std::uint64_t> number_in_name(std::string_view name, std::string_view extension);

}  // namespace bloomery
