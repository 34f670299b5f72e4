// The file of --splits: the rows at which a table's regions begin.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/table/split_keys.h"

namespace bloomery::cli {

// One escaped row a line. Errors: kInvalidArgument with the line that is empty, not behind the one before,
// too long for a row or badly escaped, and for a file without keys; those of reading it.
Result<SplitKeys> read_split_keys(const std::string& file);

}  // namespace bloomery::cli
