// Plans the build of a static filter, and prints what the build needs.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/ribbon_builder.h"
#include "cli/build_plan.h"

namespace bloomery::cli {

// Returns the directory of the output file; empty for standard output.
std::string output_directory(const BuildPlan& plan);

bool on_one_disk(const std::string& a, const std::string& b);

// Errors: kCapacity, with numbers, if the disk of `directory` has less free space than `bytes`.
Status check_room(const std::string& directory, std::uint64_t bytes);

// Errors: kInvalidArgument, which names the option.
Result<RibbonBuildOptions> plan_static(const BuildPlan& plan, const HashSpec& hash);

// Prints what the build needs, and returns an error if a disk has too little space. `fpp` is that of the
// filter without the exception column of a ribbon.
Status state_needs(const BuildPlan& plan, double fpp, const RibbonBuildOptions& build);

}  // namespace bloomery::cli
