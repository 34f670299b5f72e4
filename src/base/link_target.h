// Finds the target of a symbolic link, even if that file does not exist.
#pragma once

#include <string>

namespace bloomery {

// Returns the file that opening `path` would open or create: the end of the chain of symbolic links, or
// `path` itself. realpath(3) fails if that file does not exist. A loop is followed as far as the kernel
// would, and then fails in stat().
std::string link_target(const std::string& path);

}  // namespace bloomery
