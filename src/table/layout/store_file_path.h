// The path of one file of a family in a region, and the facts in its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "table/layout/hbase_messages.h"

namespace bloomery::table {

struct StoreFilePath {
  std::string path = {};
  std::string name = {};                         // in the region, as listed
  std::optional<FileHalf> half = {};             // of a reference
  std::optional<std::int64_t> sequence_id = {};  // of a bulk-loaded file's name
};

}  // namespace bloomery::table
