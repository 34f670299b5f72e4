// `build -t ribbon`: keys that nobody counted, through a spool on disk where memory does not hold them.
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_options.h"

namespace bloomery::cli {

// Returns the exit status. The options' keys are parsed, and the output may be written.
Result<int> build_ribbon(const BuildOptions& options, const OutputFile& output);

}  // namespace bloomery::cli
