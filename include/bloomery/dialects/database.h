// A LevelDB or RocksDB database directory, asked as one: may a key be in there?
//
// Example:
//    const auto database = Database::open("db");
//    const bool maybe = database && database->ask("a key") != DatabaseAnswer::kNo;
//
// The answer comes from what the database itself would read:
//
//   1. CURRENT names the MANIFEST, which lists the live files: column family, level, and first and last key.
//   2. The write-ahead log has the newest writes. It is read, and a key of any write in it may be in. That
//      holds for a delete too, because the question is not whether a key is still there.
//   3. Of each level above 0, the one file whose range has the key is asked; of level 0, all such files. If
//      the keys of a family are in another order than the bytewise one, all of its files are asked.
//
// A live file that is missing, or has another size than the manifest says, is an error. Other files are
// ignored. A file without a usable filter forces a maybe for every key in its range, and says why.
//
// The database may be in use. If its MANIFEST changes while the files are opened, open() begins again. It
// takes no lock, and writes that come later are not seen. Not seen either: writes without a log.
//
// Threads: const calls may run together.
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
  std::string column_family = {};     // the only family to ask; empty for all
  std::string prefix_extractor = {};  // "fixed:4", "capped:4" or "noop", for files that do not name theirs
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
  kForced,  // no filter matches the key, but not all files could be asked
};

class DatabaseFamily {
 public:
  std::uint64_t number = 0;  // 0 is the default family
  std::string name;
  std::string comparator;
  // Ascending by level. In a level they ascend by their first keys.
  std::vector<DatabaseFile> files;

  // Groups the files by level. Called once, when all of them are there.
  void group_levels();
  DatabaseAnswer ask(std::string_view key) const;
  // The probability that an absent key which lies in the range of a file of every level is answered maybe.
  double current_fpp() const;

 private:
  struct Level {
    std::size_t begin;  // of `files`
    std::size_t end;
    bool is_sorted;  // no two files share more than a key at their ends
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
  //   kNotFound          no CURRENT, or not the folder of the logs
  //   kCorruption        damage, also a live file that is missing
  //   kUnsupported       a log or manifest that this build cannot read
  //   kInvalidArgument   an unknown column family, or a prefix extractor that a file contradicts
  //   kCapacity, kIo
  static Result<Database> open(const std::string& path, const DatabaseOptions& options = {});

  std::span<const DatabaseFamily> families() const { return families_; }
  // The logs that were read, in the order of their numbers. Without any, what a log might have is not known.
  std::span<const DatabaseLog> logs() const { return logs_; }
  // The number of different keys in the logs.
  std::uint64_t log_keys() const;
  const std::string& manifest() const { return manifest_; }
  // Whether the manifest ends in the middle of a record, as after a crash.
  bool manifest_is_torn() const { return manifest_is_torn_; }
  // The number of table files in the directory that are not live.
  std::uint64_t ignored_files() const { return ignored_files_; }

  DatabaseAnswer ask(std::string_view key) const;
  // Whether ask() may answer kForced.
  bool forces_maybes() const;
  // The probability that an absent key is answered maybe, if it lies in the range of a file of every level.
  double current_fpp() const;
  // Whether all files are still whole. Ask it after the answers. Errors: kCorruption.
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
