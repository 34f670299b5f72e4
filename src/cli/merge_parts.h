// `merge` of parts, the last step of a spread build: all parts of a ribbon become one filter
// (filter/ribbon/ribbon_part.h).
#pragma once

#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "cli/output_file.h"

namespace bloomery::cli {

// Returns whether the first file is one of the files of a spread build, so that merge_parts() is meant.
bool merges_parts(std::span<const std::string> files);

Status merge_parts(std::span<const std::string> parts, const std::string& path, const OutputFile& output);

}  // namespace bloomery::cli
