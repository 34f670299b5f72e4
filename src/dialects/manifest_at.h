// The manifest that a database uses at one moment, and the live files that it lists.
//
//   1. current_manifest() reads CURRENT, and the size of the manifest that it names.
//   2. read_live_files() reads that many bytes of the manifest.
//   3. The caller opens the live files.
//   4. is_still_current() says if CURRENT and the size are the same. If not, live files may have been removed
//      before step 3, and the caller begins again.
//
// Sources: LevelDB, doc/impl.md; RocksDB 11.8.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "codec/sstable/live_files.h"

namespace bloomery {

// A new record changes the size.
struct ManifestAt {
  std::string name;
  std::uint64_t size_bytes = 0;

  bool operator==(const ManifestAt&) const = default;
};

// Errors: kNotFound if there is no file CURRENT; kCorruption, kIo.
Result<ManifestAt> current_manifest(const std::string& folder);
bool is_still_current(const std::string& folder, const ManifestAt& manifest);

// Errors: kCorruption, also for a missing manifest; kUnsupported, kCapacity, kIo.
Result<sstable::LiveFiles> read_live_files(const std::string& folder, const ManifestAt& manifest,
                                           const FileMemory& memory);

// Returns the name of a table: 000005.ldb, or 000005.sst in RocksDB and in LevelDB before 1.14. If there is
// neither, returns the name that the other tables of the folder suggest.
std::string table_name(const std::string& folder, std::uint64_t number);

// Turns kNotFound into the error of a missing live file, `path` being its index in RocksDB's db_paths. Other
// errors are returned unchanged.
Error missing_live_file(const Error& error, const std::string& folder, const std::string& name,
                        std::uint64_t path);

}  // namespace bloomery
