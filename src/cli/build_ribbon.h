// `build -t ribbon`. The number of keys need not be known in advance; keys that do not fit into memory are
// spooled to disk.
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_plan.h"
#include "cli/output_file.h"

namespace bloomery::cli {

// Returns the exit status. Precondition: the output may be written.
Result<int> build_ribbon(const BuildPlan& plan, const OutputFile& output);

}  // namespace bloomery::cli
