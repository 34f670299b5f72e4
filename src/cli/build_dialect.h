// `build --dialect`: builds a filter of another system.
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_plan.h"
#include "cli/output_file.h"

namespace bloomery::cli {

// Returns the exit status. Precondition: the output may be written.
Result<int> build_dialect_filter(const BuildPlan& plan, const OutputFile& output);

}  // namespace bloomery::cli
