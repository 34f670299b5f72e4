// Reads the file of --splits, which lists the rows at which a table's regions start.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/table/split_keys.h"

namespace bloomery::cli {

// The file has one escaped row per line, in ascending order. Errors: errors of reading it; kInvalidArgument
// if it has no keys, or a line is empty, out of order, too long for a row or badly escaped. The message names
// the line.
Result<SplitKeys> read_split_keys(const std::string& file);

}  // namespace bloomery::cli
