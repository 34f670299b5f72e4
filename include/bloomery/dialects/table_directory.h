// The tables of a LevelDB or RocksDB database directory, and which of them may hold a key.
//
// Example:
//    auto directory = TableDirectory::open("db");
//    const bool maybe = directory->may_contain("a key");
//
// The tables are all *.ldb and *.sst files, in the order of the numbers in their names. A table that has no
// usable filter, or is damaged, may hold every key, and says why.
//
// The newest writes are not in a table yet but in a log. So if no table holds a key, the database lacks it
// only while logs() is empty. Three things are not seen: logs and tables that RocksDB keeps elsewhere
// (wal_dir, db_paths), and writes without a log.
//
// The only thing that is read from a manifest is the order of the keys. LevelDB's tables in another order
// than the bytewise one may hold every key. A table that the database has dropped but not removed still
// answers.
//
// Threads: const calls may run together.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

struct TableOfDirectory {
  std::string name;                       // "000005.ldb"
  std::unique_ptr<DialectFilter> filter;  // null: the table may hold every key
  std::string trouble;                    // the reason; empty if there is a filter

  bool may_contain(std::string_view key) const { return filter == nullptr || filter->may_contain(key); }
};

class TableDirectory {
 public:
  // Opens every table of the directory, each with so much memory. Errors: kNotFound or kIo for the directory
  // itself.
  static Result<TableDirectory> open(const std::string& path, const FileMemory& memory = {});

  std::span<const TableOfDirectory> tables() const { return tables_; }
  // Returns the names of the *.log files that are not empty.
  std::span<const std::string> logs() const { return logs_; }

  // Returns whether any table may hold the key.
  bool may_contain(std::string_view key) const;

 private:
  std::vector<TableOfDirectory> tables_;
  std::vector<std::string> logs_;
};

}  // namespace bloomery
