// `build --dialect`: builds a filter of another system.
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_options.h"

namespace bloomery::cli {

// Builds with parsed options. Returns the exit status. Errors: also kInvalidArgument for every option that a
// file of another system cannot record; the message names it.
Result<int> build_dialect_filter(const BuildOptions& options, const OutputFile& output);

}  // namespace bloomery::cli
