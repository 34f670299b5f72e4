// What --force may replace. A filter is made again from its keys, but a list that is overwritten by mistake is gone.
//
//   --force of       replaces
//   filters          a filter of any system, a file of a spread build, an empty file; not a text, not another file
//   --absent-to      any file but a filter
//
// What is no regular file is not judged here: the save refuses it. Not here: outputs that are also inputs
// (file_conflicts.h).
#pragma once

#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// Checks that a filter may take the place of the file, if there is one. `dialect` is --dialect: a file that only such a
// name can open is a filter too. Errors: kInvalidArgument; those of reading the file.
Status check_filter_may_replace(const std::string& path, std::string_view dialect = {});

// Checks that lines may take the place of the file. Errors: as above.
Status check_lines_may_replace(const std::string& path);

}  // namespace bloomery::cli
