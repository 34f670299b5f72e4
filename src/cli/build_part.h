// `build -t ribbon --shards I/N`, the second step of a distributed build. It reads the range files of one
// hash range, one file from every machine, and makes a part of the ribbon (filter/ribbon/ribbon_part.h).
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_plan.h"
#include "cli/output_file.h"

namespace bloomery::cli {

// Returns true if build_part() applies, because the first FILE is a range file of a distributed build.
bool builds_part(const BuildPlan& plan);

// Returns the exit status. Precondition: the output may be written.
Result<int> build_part(const BuildPlan& plan, const OutputFile& output);

}  // namespace bloomery::cli
