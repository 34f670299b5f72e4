// The entries of a directory, read at once.
//
// Interrupted calls are repeated. Not here: subdirectories; changes during the reading.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

struct DirectoryEntry {
  std::string name = {};
  bool is_directory = false;
  std::uint64_t size = 0;  // of a file
};

// Returns the entries sorted by name. Errors: kNotFound; kIo.
Result<std::vector<DirectoryEntry>> list_directory(const std::string& path);

}  // namespace bloomery
