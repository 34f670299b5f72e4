// Plans the build of a ribbon from the options of `build`, and prints what the build needs.
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
// Parses I/N, where I counts from 1. Errors: kInvalidArgument.
Result<PartChoice> parse_part(std::string_view text);

// Returns --mem, or the default memory of a ribbon build. Errors: kInvalidArgument.
Result<std::uint64_t> build_memory(const BuildOptions& options);

// Returns the directory of the output file; empty for standard output.
std::string output_directory(const BuildOptions& options);

bool on_one_disk(const std::string& a, const std::string& b);

// Errors: kCapacity, with numbers, if the disk of `directory` has less free space than `bytes`.
Status check_room(const std::string& directory, std::uint64_t bytes);

// Errors: kInvalidArgument, which names the option.
Result<RibbonBuildOptions> plan_ribbon(const BuildOptions& options, const HashSpec& hash);

// Prints what the build needs, and returns an error if a disk has too little space. `ribbon_fpp` is the fpp
// of the ribbon without its exception column.
Status state_needs(const BuildOptions& options, double ribbon_fpp, const RibbonBuildOptions& build);

}  // namespace bloomery::cli
