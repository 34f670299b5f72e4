// Describes a directory of LevelDB or RocksDB for `inspect`.
#pragma once

#include <nlohmann/json.hpp>

#include "bloomery/dialects/database.h"

namespace bloomery::cli {

// Returns the facts as one object. Its `families` list the files by level.
nlohmann::ordered_json describe_database(const Database& database);

// Prints one line per file: family, level, name, bytes, first and last key, filter.
void print_database_files(const Database& database);

}  // namespace bloomery::cli
