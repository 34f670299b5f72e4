// Where a symbolic link leads, also when no file is there yet.
#pragma once

#include <string>

namespace bloomery {

// The file that opening `path` would open or create: the end of the chain of symbolic links, or `path` itself. realpath(3)
// gives up where that file does not exist. A loop is followed as far as the kernel would, and fails in stat().
std::string link_target(const std::string& path);

}  // namespace bloomery
