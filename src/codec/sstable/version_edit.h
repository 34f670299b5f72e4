// One record of a MANIFEST: a change of the list of live files. Its fields are each a varint tag and a value:
//
//   tag   value                                                          of
//   1     text: the comparator's name                                    both
//   2     varint: the first log that is needed                           both
//   3, 4  varint: next file number; last sequence number                 both
//   5     varint level, text: the start key of the next compaction       both
//   6     varint level, varint number: a file that is no longer live     both
//   7     varint level, number, size, text smallest, text largest        both
//   9     varint: the previous log, while it is compacted                both
//   10    varint: the first log to keep                                  RocksDB
//   100   as 7, then varint smallest and largest sequence number         RocksDB
//   102   as 100, with a varint path after the number                    RocksDB
//   103   as 100, then fields of a varint tag and a text; 1 ends them    RocksDB
//   200   varint: the column family of this record                       RocksDB
//   201   text: the name of a new family         202  drops the family   RocksDB
//   203   varint: the highest family                                     RocksDB
//   300   varint: later records of the same group                        RocksDB
//   400, 401, 8194, 8195   blob files: numbers, texts, fields            RocksDB
//   8196, 8197, 8199, 8200 logs that were written, logs that are gone    RocksDB
//   others with bit 13     a text, which may be ignored                  RocksDB
//
// A text is a varint size and bytes. Smallest and largest are internal keys: a user key and eight bytes.
// Any other tag is an error. Sources: LevelDB, doc/impl.md and 1.23; RocksDB 11.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"

namespace bloomery::sstable {

// The name of a version edit in errors.
inline constexpr const char* kVersionEditSubject = "version edit";

// A file that becomes live. The keys are user keys, views into the record.
struct NewFile {
  std::uint64_t level = 0;
  std::uint64_t number = 0;
  std::uint64_t path = 0;  // index in RocksDB's db_paths; 0 is the database's own folder
  std::uint64_t size_bytes = 0;
  std::string_view smallest;
  std::string_view largest;
};

struct DeletedFile {
  std::uint64_t level = 0;
  std::uint64_t number = 0;
};

// A log that RocksDB has recorded in the manifest. Its file has at least the synced bytes.
struct WrittenLog {
  std::uint64_t number = 0;
  std::uint64_t synced_bytes = 0;
};

struct VersionEdit {
  std::optional<std::string> comparator;
  std::optional<std::uint64_t> log_number;
  std::optional<std::uint64_t> previous_log;
  std::optional<std::uint64_t> next_file;
  std::optional<std::uint64_t> last_sequence;
  std::optional<std::uint64_t> first_log_to_keep;
  std::vector<DeletedFile> deleted;
  std::vector<NewFile> added;
  std::uint64_t family = 0;
  std::optional<std::string> added_family;
  bool drops_family = false;
  std::optional<std::uint64_t> left_in_group;
  std::vector<WrittenLog> written_logs;
  std::optional<std::uint64_t> logs_gone_before;
  MemoryShare memory;  // charged for the lists
};

// Reads one record. `offset` is its offset in its file. The lists are charged to `budget`. Errors:
// kCorruption; kUnsupported for an unknown tag; kCapacity.
Result<VersionEdit> read_version_edit(std::span<const std::byte> record, std::uint64_t offset,
                                      std::shared_ptr<MemoryBudget> budget = {});

}  // namespace bloomery::sstable
