// The log of a transaction on the sstables of a folder. It decides which sstables are obsolete.
//
//   ADD:[/data/ks/t/nb-4-big-,0,8][877686529]                    the transaction creates this sstable
//   REMOVE:[/data/ks/t/nb-1-big-,1795343807990,8][1286307461]    it replaces this one; time in ms, files
//   COMMIT:[,0,0][2613697770]                                    or ABORT; always the last record
//
// The number in the last brackets is the CRC-32 of the path, the type, and both halves of the time (the lower
// one first) and the number of files as 32-bit big-endian words. From 5.0 on the path ends in a hyphen.
//
//   the last record is COMMIT         the sstables that it removes are obsolete
//   anything else                     those that it adds are obsolete, also if a crash broke the last record
//   an earlier record is broken       an error
//
// Releases from 3.0 on write such logs, NAME_txn_OPERATION_UUID.log in the folder of the table, and delete
// them after all obsolete files. Source: docs/formats/cassandra.md. Not here: reading the folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

enum class TransactionRecordType : std::uint8_t { kAdd, kRemove, kCommit, kAbort };

struct TransactionRecord {
  TransactionRecordType type;
  std::string folder;         // "/data/ks/t"; empty if the path has none
  std::string sstable;        // "nb-4-big"; empty for kCommit and kAbort
  std::uint64_t time_ms = 0;  // of the newest file to be removed, since 1970
  std::uint32_t files = 0;
};

struct TransactionLog {
  std::vector<TransactionRecord> records;
  bool last_is_broken = false;  // the last record is broken and not in `records`

  bool committed() const {
    return !last_is_broken && !records.empty() && records.back().type == TransactionRecordType::kCommit;
  }
};

bool is_transaction_log_name(std::string_view file_name);

// Errors: kCorruption for a broken record that is not the last, and for records after the end.
Result<TransactionLog> read_transaction_log(std::string_view text);

// The number of files that a folder contains of an sstable.
struct SSTableFiles {
  std::string sstable;  // "nb-4-big"
  std::uint32_t files = 0;
  std::uint64_t newest_ms = 0;
};

// Returns the names of the folder's sstables that are obsolete according to the log. `folder` is
// its absolute path.
//
// Records are matched by the last component of their path, so a copy of a folder is read like the original. A
// copy has other file times, so only a folder at the logged path is checked for files changed since.
//
// Errors: kCorruption in the cases in which the database refuses to start:
//
//   - a file of a removed sstable was changed after the removal was logged
//   - the transaction did not commit, and an sstable that it was to remove lacks files
Result<std::vector<std::string>> dead_sstables(const TransactionLog& log, const std::string& folder,
                                               std::span<const SSTableFiles> present);

}  // namespace bloomery
