// Plans the build of a ribbon from the options of `build`, and tells what the build will take.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/ribbon_builder.h"
#include "cli/build_options.h"

namespace bloomery::cli {

struct PartChoice {
  std::uint32_t part;
  std::uint32_t parts;
};
// Reads I/N, which counts from 1. Errors: kInvalidArgument.
Result<PartChoice> parse_part(std::string_view text);

// Returns --mem, or what a ribbon takes without it. Errors: kInvalidArgument.
Result<std::uint64_t> build_memory(const BuildOptions& options);

// Returns the directory that the output is written to; empty for standard output.
std::string output_directory(const BuildOptions& options);

bool on_one_disk(const std::string& a, const std::string& b);

// Errors: kCapacity, with numbers, if the disk of a directory has no room for so many bytes.
Status check_room(const std::string& directory, std::uint64_t bytes);

// Errors: kInvalidArgument, which names the option.
Result<RibbonBuildOptions> plan_ribbon(const BuildOptions& options, const HashSpec& hash);

// Prints what the build will take. Refuses a build for which a disk has no room. `ribbon_fpp` is the fpp of
// the ribbon without its exception column.
Status state_needs(const BuildOptions& options, double ribbon_fpp, const RibbonBuildOptions& build);

}  // namespace bloomery::cli
