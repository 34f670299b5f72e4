// Reads the file of --splits: the rows at which a table's regions begin.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/table/split_keys.h"

namespace bloomery::cli {

// The file has one escaped row a line, in ascending order. Errors: errors of reading it; kInvalidArgument
// for a file without keys, and for a line that is empty, out of order, too long for a row or badly escaped.
// The message names the line.
Result<SplitKeys> read_split_keys(const std::string& file);

}  // namespace bloomery::cli
