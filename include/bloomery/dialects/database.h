// Opens a LevelDB or RocksDB database directory as one filter: may a key be in the database?
//
// Example:
//    const auto database = Database::open("db");
//    const bool maybe = database && database->ask("a key") != DatabaseAnswer::kNo;
//
// The answer is based on the files that the database itself would read:
//
//   1. CURRENT names the MANIFEST, which lists the live files: column family, level, and first and last key.
//   2. The write-ahead log has the newest writes. It is read, and a key of any write in it may be in. That
//      includes deletes, because the question is not whether a key still exists.
//   3. In each level above 0, only the file whose range has the key is queried; in level 0, all such files.
//      If a family does not use bytewise order, all of its files are queried.
//
// A live file that is missing, or has another size than the manifest says, is an error. Other files are
// ignored. A file without a usable filter forces a maybe for every key in its range; `trouble` has the
// reason.
//
// The database may be in use. If its MANIFEST changes while the files are opened, open() starts again. It
// acquires no lock. Later writes, and writes without a log, are not seen.
//
// Threads: const calls may run concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "bloomery/dialects/database_log.h"

namespace bloomery {

struct DatabaseOptions {
  std::string column_family = {};     // the only family to query; empty for all
  std::string prefix_extractor = {};  // "fixed:4", "capped:4" or "noop", for files that do not record theirs
  FileMemory memory = {};             // for each file, for the manifest, and for the keys of the log
};

struct DatabaseFile {
  std::string name;  // "000005.ldb"
  std::uint64_t number = 0;
  std::uint64_t level = 0;
  std::uint64_t size_bytes = 0;
  std::string smallest;  // the first and the last key
  std::string largest;
  std::unique_ptr<DialectFilter> filter = nullptr;  // null: the file may hold every key in its range
  std::string trouble = {};                         // the reason; empty if there is a filter
  bool is_damaged = false;                          // the reason is damage
};

enum class DatabaseAnswer {
  kNo,      // the key is certainly not in
  kMaybe,   // the log has the key, or a filter matches it
  kForced,  // no filter matches the key, but not all files could be queried
};

class DatabaseFamily {
 public:
  std::uint64_t number = 0;  // 0 is the default family
  std::string name;
  std::string comparator;
  // Ascending by level, and within a level by first key.
  std::vector<DatabaseFile> files;

  // Groups the files by level. Called once, after all of them are added.
  void group_levels();
  DatabaseAnswer ask(std::string_view key) const;
  // Returns the probability that an absent key in the range of a file of every level is answered maybe.
  double current_fpp() const;

 private:
  struct Level {
    std::size_t begin;  // index into `files`
    std::size_t end;
    bool is_sorted;  // no two files share more than a boundary key
  };

  bool is_bytewise() const;
  std::size_t first_asked(const Level& level, std::string_view key) const;
  double fpp_of(const Level& level) const;

  std::vector<Level> levels_;
};

class LogKeys;

class Database {
 public:
  // Opens a directory. Errors:
  //
  //   kNotFound          CURRENT or the folder of the logs is missing
  //   kCorruption        damage, including a missing live file
  //   kUnsupported       a log or manifest that this build cannot read
  //   kInvalidArgument   an unknown column family, or a prefix extractor that a file contradicts
  //   kCapacity, kIo
  static Result<Database> open(const std::string& path, const DatabaseOptions& options = {});

  std::span<const DatabaseFamily> families() const { return families_; }
  // Returns the logs that were read, ascending by number. If there are none, writes that were only in a log
  // are not seen.
  std::span<const DatabaseLog> logs() const { return logs_; }
  // Returns the number of different keys in the logs.
  std::uint64_t log_keys() const;
  const std::string& manifest() const { return manifest_; }
  // Returns true if the manifest ends in the middle of a record, as after a crash.
  bool manifest_is_torn() const { return manifest_is_torn_; }
  // Returns the number of table files in the directory that are not live.
  std::uint64_t ignored_files() const { return ignored_files_; }

  DatabaseAnswer ask(std::string_view key) const;
  // Returns true if ask() may return kForced.
  bool forces_maybes() const;
  // Returns the probability that an absent key is answered maybe, if it is in the range of a file of every
  // level.
  double current_fpp() const;
  // Returns Ok if all files are still complete. Call it after the queries. Errors: kCorruption.
  Status file_status() const;

 private:
  friend class DatabaseOpening;

  Database() = default;

  std::string manifest_;
  bool manifest_is_torn_ = false;
  std::uint64_t ignored_files_ = 0;
  std::vector<DatabaseFamily> families_;
  std::vector<DatabaseLog> logs_;
  std::shared_ptr<const LogKeys> log_keys_;
};

}  // namespace bloomery
