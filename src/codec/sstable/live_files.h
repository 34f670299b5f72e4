// The live files of a database: the result of applying all records of its MANIFEST in order.
//
// LevelDB has one list of files. RocksDB has one per column family; family 0 is `default` and always exists.
// A record of a group counts only if the manifest contains the complete group.
//
// Memory: names and keys of live files are charged to a budget.
// Not here: reading the live files (src/dialects/database.cc). Sources: LevelDB, doc/impl.md; RocksDB 11.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "codec/sstable/version_edit.h"

namespace bloomery::sstable {

inline constexpr const char* kBytewiseComparator = "leveldb.BytewiseComparator";

struct LiveFile {
  std::uint64_t number = 0;
  std::uint64_t level = 0;
  std::uint64_t path = 0;
  std::uint64_t size_bytes = 0;
  std::string smallest;  // the first and the last user key
  std::string largest;
  MemoryShare memory;
};

struct LiveFamily {
  std::string name;
  std::string comparator = kBytewiseComparator;
  std::uint64_t log_number = 0;             // older logs have no data of this family outside its tables
  std::map<std::uint64_t, LiveFile> files;  // by file number
  MemoryShare memory;
};

class LiveFiles {
 public:
  // Reads a complete manifest. `name` is its name in errors. Errors: kCorruption, kUnsupported, kCapacity.
  static Result<LiveFiles> read(std::span<const std::byte> manifest, const std::string& name,
                                std::shared_ptr<MemoryBudget> memory = {});

  // Returns the families by their numbers.
  const std::map<std::uint64_t, LiveFamily>& families() const { return families_; }
  // Returns the first log that some family needs, or that RocksDB keeps for a transaction.
  std::uint64_t first_log() const;
  // Returns a second log that LevelDB needs; 0 for none.
  std::uint64_t previous_log() const { return previous_log_; }
  // Returns the logs that must exist, with their minimum sizes in bytes. Only some databases of
  // RocksDB list them.
  const std::map<std::uint64_t, std::uint64_t>& written_logs() const { return written_logs_; }
  // Returns true if the manifest ends in the middle of a record or a group.
  bool is_torn() const { return torn_; }

 private:
  Status apply(const VersionEdit& edit, std::uint64_t offset);
  Status apply_files(const VersionEdit& edit, LiveFamily& family, std::uint64_t offset);
  Status apply_logs(const VersionEdit& edit);

  std::shared_ptr<MemoryBudget> budget_;
  std::map<std::uint64_t, LiveFamily> families_;
  std::uint64_t previous_log_ = 0;
  std::optional<std::uint64_t> first_log_to_keep_;
  std::map<std::uint64_t, std::uint64_t> written_logs_;
  MemoryShare logs_memory_;
  bool has_log_number_ = false;
  bool has_next_file_ = false;
  bool has_last_sequence_ = false;
  bool torn_ = false;
};

}  // namespace bloomery::sstable
