// Plans the build of a ribbon from the options of `build`, and tells what the build will take.
#pragma once

#include "bloomery/base/result.h"
#include "bloomery/filter/ribbon_builder.h"
#include "cli/build_options.h"

namespace bloomery::cli {

// Errors: kInvalidArgument, which names the option.
Result<RibbonBuildOptions> plan_ribbon(const BuildOptions& options, const HashSpec& hash);

// Prints what the build will take. Refuses a build for which a disk has no room. `ribbon_fpp` is the fpp of
// the ribbon without its exception column.
Status state_needs(const BuildOptions& options, double ribbon_fpp, const RibbonBuildOptions& build);

}  // namespace bloomery::cli
