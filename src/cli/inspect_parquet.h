// `inspect` for a .parquet file as a whole: its columns with their types, and which row groups have filters.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

// Returns what is known of the file, with its columns as an array "columns"; nothing if it does not begin and
// end as a .parquet file. Errors: kCorruption, kUnsupported for an encrypted footer, kCapacity, kNotFound, kIo.
Result<std::optional<nlohmann::ordered_json>> describe_parquet_file(const std::string& path,
                                                                    const FileMemory& memory);

// Returns the columns as lines of text, under a line that names what is in them.
std::string show_parquet_columns(const nlohmann::ordered_json& columns, std::uint64_t row_groups);

}  // namespace bloomery::cli
