// The path of one file of a family in a region, and the facts in its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "table/layout/hbase_messages.h"

namespace bloomery::table {

struct StoreFilePath {
  std::string path = {};
  std::string name = {};                         // the name in the region's directory
  std::optional<FileHalf> half = {};             // set for a reference
  std::optional<std::int64_t> sequence_id = {};  // set if the name has _SeqId_
  bool is_recovered = false;                     // in recovered.hfiles, made by log splitting
};

}  // namespace bloomery::table
