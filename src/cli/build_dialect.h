// `build --dialect`: keys into a filter of another system.
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_options.h"

namespace bloomery::cli {

// Does what `build` does, with options that were parsed. Returns the exit status. Errors: also for every
// option that a file of another system cannot keep, by its name.
Result<int> build_dialect_filter(const BuildOptions& options, const OutputFile& output);

}  // namespace bloomery::cli
