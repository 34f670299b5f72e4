// `merge` of parts, the last step of a distributed build: joins all parts of a ribbon into one filter
// (filter/ribbon/ribbon_part.h).
#pragma once

#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "cli/output_file.h"

namespace bloomery::cli {

// Returns true if merge_parts() applies, because the first file is a part of a distributed build.
bool merges_parts(std::span<const std::string> files);

Status merge_parts(std::span<const std::string> parts, const std::string& path, const OutputFile& output);

}  // namespace bloomery::cli
