// `build -t ribbon`. Nobody needs to count the keys; those that memory does not hold go to a spool on disk.
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_options.h"

namespace bloomery::cli {

// Returns the exit status. Precondition: the options' keys are parsed, and the output may be written.
Result<int> build_ribbon(const BuildOptions& options, const OutputFile& output);

}  // namespace bloomery::cli
