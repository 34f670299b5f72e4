// The log of a transaction on the sstables of a folder, and which sstables are dead by it.
//
//   ADD:[/data/ks/t/nb-4-big-,0,8][877686529]                    the transaction makes this sstable
//   REMOVE:[/data/ks/t/nb-1-big-,1795343807990,8][1286307461]    it replaces that one; its newest file, how many files
//   COMMIT:[,0,0][2613697770]                                    or ABORT; always the last record
//
// The number in the last brackets is the CRC-32 of the path, the type, and both halves of the time (the lower one
// first) and the number of files as 32-bit big-endian words. From 5.0 on the path ends in a hyphen.
//
//   the last record is COMMIT         what it removes is dead
//   anything else                     what it adds is dead; also if the last record is broken, as a crash leaves it
//   an earlier record is broken       an error
//
// Releases from 3.0 on write such logs, NAME_txn_OPERATION_UUID.log in the folder of the table, and delete them when all
// dead files are gone. Source: docs/formats/cassandra.md. What it does not do: read the folder.
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
  std::uint64_t time_ms = 0;  // of the newest file that is to be removed, since 1970
  std::uint32_t files = 0;
};

struct TransactionLog {
  std::vector<TransactionRecord> records;
  bool last_is_broken = false;  // a last record that is not among `records`

  bool committed() const {
    return !last_is_broken && !records.empty() && records.back().type == TransactionRecordType::kCommit;
  }
};

bool is_transaction_log_name(std::string_view file_name);

// Errors: kCorruption for a broken record that is not the last, and for records behind the end.
Result<TransactionLog> read_transaction_log(std::string_view text);

// The files of an sstable that a folder has.
struct SSTableFiles {
  std::string sstable;  // "nb-4-big"
  std::uint32_t files = 0;
  std::uint64_t newest_ms = 0;
};

// Returns the names of the sstables of the folder that are dead by the log. `folder` is its absolute path.
//
// Records are matched by the last part of their path, so a copy of a folder is read like the folder. Only what lies
// where the log says has its times, so only there a file that was changed since is an error.
//
// Errors: kCorruption, as the database refuses to start:
//
//   - a file of a removed sstable was changed after the removal was logged
//   - the transaction did not commit, and a sstable that it was to remove lacks files
Result<std::vector<std::string>> dead_sstables(const TransactionLog& log, const std::string& folder,
                                               std::span<const SSTableFiles> present);

}  // namespace bloomery
