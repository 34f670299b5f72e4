// The tables of a LevelDB or RocksDB database directory, and which of them may hold a key.
//
// All *.ldb and *.sst files, in the order of their names' numbers. One that has no usable filter, or is
// damaged, may hold every key, and says why. What was written last is not in a table yet but in a log: a *no*
// of all tables is one of the database only while logs() is empty. Logs and tables that RocksDB was told to
// keep elsewhere (wal_dir, db_paths), and writes without a log, are not seen.
//
// Of a manifest only the order of the keys is read: LevelDB's tables in another than the bytewise one may
// hold every key. A table that the database has dropped but not removed answers too. Threads: everything
// const may run together.
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
  std::unique_ptr<DialectFilter> filter;  // null: every key may be in
  std::string trouble;                    // why; empty where there is a filter

  bool may_contain(std::string_view key) const { return filter == nullptr || filter->may_contain(key); }
};

class TableDirectory {
 public:
  // Opens every table of the directory, each with so much memory. Errors: kNotFound, kIo for the directory
  // itself.
  static Result<TableDirectory> open(const std::string& path, const FileMemory& memory = {});

  std::span<const TableOfDirectory> tables() const { return tables_; }
  // Names of *.log files that are not empty.
  std::span<const std::string> logs() const { return logs_; }

  // Whether a table may hold the key.
  bool may_contain(std::string_view key) const;

 private:
  std::vector<TableOfDirectory> tables_;
  std::vector<std::string> logs_;
};

}  // namespace bloomery
