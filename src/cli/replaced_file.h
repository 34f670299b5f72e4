// Decides which files --force may replace. A filter can be built again from its keys, but a list that is
// overwritten by mistake is lost.
//
//   --force for      may replace
//   filters          a filter of any system, a file of a distributed build, an empty file; no other file
//   --absent-to      any file except a filter
//
// Files that are not regular are not checked here, because the save refuses them. file_conflicts.h detects
// outputs that are also inputs.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// Checks that a filter may replace the file, if the file exists. `dialect` is --dialect: a file that only
// this dialect can open counts as a filter, too. Errors: kInvalidArgument; errors of reading the file.
Status check_filter_may_replace(const std::string& path, std::string_view dialect = {});

// Checks that lines may replace the file. Errors: kInvalidArgument; errors of reading the file.
Status check_lines_may_replace(const std::string& path);

}  // namespace bloomery::cli
