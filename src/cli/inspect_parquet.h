// Describes a complete .parquet file for `inspect`: its columns with their types, and which row groups have
// filters.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

// Returns the facts of the file, with its columns in the array "columns"; nothing if the file does not begin
// and end like a .parquet file. Errors: kCorruption, kUnsupported for an encrypted footer, kCapacity,
// kNotFound, kIo.
Result<std::optional<nlohmann::ordered_json>> describe_parquet_file(const std::string& path,
                                                                    const FileMemory& memory);

// Returns the columns as lines of text, after a header line.
std::string show_parquet_columns(const nlohmann::ordered_json& columns, std::uint64_t row_groups);

}  // namespace bloomery::cli
