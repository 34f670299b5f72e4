// `build` of a filter that is made by inserting the keys in order: every type of ours but ribbon.
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_plan.h"
#include "cli/output_file.h"

namespace bloomery::cli {

// Returns the exit status. Precondition: the output may be written.
Result<int> build_native(const BuildPlan& plan, const OutputFile& output);

}  // namespace bloomery::cli
