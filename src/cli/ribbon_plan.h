// How a ribbon is built, from the options of `build`, and what that will take.
#pragma once

#include "bloomery/base/result.h"
#include "bloomery/filter/ribbon_builder.h"
#include "cli/build_options.h"

namespace bloomery::cli {

// Errors: kInvalidArgument, naming the option.
Result<RibbonBuildOptions> plan_ribbon(const BuildOptions& options, const HashSpec& hash);

// Says what the work will take, and refuses what the disks have no room for. `ribbon_fpp` is that of the
// ribbon without its exception column.
Status state_needs(const BuildOptions& options, double ribbon_fpp, const RibbonBuildOptions& build);

}  // namespace bloomery::cli
