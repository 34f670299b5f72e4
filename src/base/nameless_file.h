// A file for what does not fit memory: made, opened, and its name removed at once.
//
// Whatever ends the process, nothing is left behind, but for an empty file if it is killed between the two
// calls, or if the name cannot be removed (tried twice). Closing the file frees its disk space. A name that
// exists is another process's or a leftover: stepped over, never removed.
// Not here: O_TMPFILE, which not every file system has; syncing, which nobody needs.
#pragma once

#include <string>

#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery {

// Makes "directory/stem-PROCESS-NUMBER", open for reading and writing; path() is the name it had.
//   directory  "" is "." too.   Errors: kIo, kNotFound, naming the file.
Result<File> create_nameless_file(FileSystem& files, const std::string& directory, const std::string& stem);

}  // namespace bloomery
