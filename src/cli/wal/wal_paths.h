// Finds the logs that a verb's arguments name: files, and logs in directories and their subdirectories.
//
//   in a directory                                                  treatment
//   a file that begins with the magic of a log                      used
//   another file with the name of a log, in the directory of one    used: it is empty, cut or damaged
//   any other file                                                  skipped
//
// In an HBase root, which has a directory WALs, only WALs and data are searched, since HBase never replays
// oldWALs. Symbolic links to directories are not followed.
#pragma once

#include <string>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::cli {

// Returns the logs in the order of the arguments; those of a directory by path. Errors: kInvalidArgument for
// a directory without logs; errors of reading directories.
Result<std::vector<std::string>> find_logs(const std::vector<std::string>& names);

}  // namespace bloomery::cli
