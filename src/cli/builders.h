// The builders of `build`, one for each way to build a filter. Each returns the exit status, and has a file
// build_<name>.cc; build_partition.h has a sixth. Their precondition is that the output may be written.
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_plan.h"
#include "cli/output_file.h"

namespace bloomery::cli {

Result<int> build_dialect_filter(const BuildPlan& plan, const OutputFile& output);
Result<int> build_native(const BuildPlan& plan, const OutputFile& output);
Result<int> build_static(const BuildPlan& plan, const OutputFile& output);
Result<int> build_resumable(const BuildPlan& plan, const OutputFile& output);

// Returns true if build_part() applies, because the first FILE is a range file of a distributed build.
bool builds_part(const BuildPlan& plan);
Result<int> build_part(const BuildPlan& plan, const OutputFile& output);

}  // namespace bloomery::cli
