// Opens the sstables of a Cassandra folder (a table, a snapshot of one, a backup) and tells which of them
// may hold a key.
//
// Example:
//    auto directory = CassandraDirectory::open("/var/lib/cassandra/data/shop/orders-5f2a");
//    const bool maybe = !directory || directory->may_contain("the bytes of a partition key");
//
// Only live sstables are queried. The transaction logs of the folder (NAME_txn_*.log) say which sstables
// are not live: a finished compaction has replaced them, or they are still being written. Files named tmp
// or tmplink are skipped, too: releases before 3.0 give these names to unfinished files. notes() lists what
// was skipped.
//
// A live sstable may hold every key if it has no Filter.db, if its TOC.txt does not name one, or if the
// filter or its statistics are damaged. `trouble` has the reason.
//
// Limits: writes that Cassandra has not flushed yet are in memory and in its commit log. Neither is
// queried, nor are other folders.
//
// Threads: const calls may run concurrently.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

struct SSTableOfDirectory {
  std::string name;                       // "nb-7-big"
  std::unique_ptr<DialectFilter> filter;  // null: the sstable may hold every key
  std::string trouble;                    // the reason; empty if there is a filter

  bool may_contain(std::string_view key) const { return filter == nullptr || filter->may_contain(key); }
};

class CassandraDirectory {
 public:
  // Returns true if a file of the folder is named like one of an sstable.
  static bool looks_like_one(const std::string& path);

  // Opens the filters of all live sstables, each with the memory limit `memory`. A compaction may run
  // concurrently: the folder is read again until it stays the same. Errors: kNotFound or kIo for the
  // folder; kInvalidArgument if it has no sstable; kCorruption for a log that is damaged or contradicts the
  // files; kUnsupported for an unknown version.
  static Result<CassandraDirectory> open(const std::string& path, const FileMemory& memory = {});

  // Returns the live sstables.
  std::span<const SSTableOfDirectory> sstables() const { return sstables_; }
  // Returns sentences about what was skipped.
  std::span<const std::string> notes() const { return notes_; }
  // Returns the class of the partition key's type, as the statistics of the live sstables record it; empty
  // if none does. Errors: kInvalidArgument if they differ.
  Result<std::optional<std::string>> key_type() const;

  // Returns true if any live sstable may hold the key.
  bool may_contain(std::string_view key) const;

 private:
  std::vector<SSTableOfDirectory> sstables_;
  std::vector<std::string> notes_;
  std::vector<std::pair<std::string, std::string>> types_;  // an sstable and the type that it records
};

}  // namespace bloomery
