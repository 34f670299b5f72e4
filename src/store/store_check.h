// Checks of a store's root what other readers of HBase's layout do not check, and writes nothing.
//
//   .bloomery/STORE    its checksum, and those of the descriptors
//   .filelist          every list of a tracker is complete; a family with files has one
//   WALs               each log begins where its predecessor ends, and the log of the mark reaches the mark
//
// The store is locked meanwhile. Regions, files and the cells of logs are checked as those of any table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"

namespace bloomery::store {

class StoreFiles;

struct StoreCheck {
  std::vector<Error> faults = {};
  std::uint64_t descriptors = 0;
  std::uint64_t lists = 0;
  std::uint64_t logs = 0;
  std::uint64_t entries = 0;  // of the logs
};

// Checks only the logs of a store that is locked by the caller.
Result<StoreCheck> check_logs(const StoreFiles& files, const FileMemory& memory);
// Returns whether a store made the root.
bool is_store(FileSystem& files, const std::string& root);
// Errors: those of StoreFiles::open(), also damage of .bloomery/STORE.
Result<StoreCheck> check_store(FileSystem& files, const std::string& root, const FileMemory& memory = {});

}  // namespace bloomery::store
