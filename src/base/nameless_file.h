// A file for what does not fit memory: it never has a name, so that nobody else can open it and nothing stays behind.
//
// Where the file system has no such files (O_TMPFILE), one is made, readable by its owner alone, and its name is removed at
// once: if the process is killed between the two calls an empty file stays, or if the name cannot be removed (tried
// twice). Closing the file frees its disk space.
// Not here: syncing, which nobody needs.
#pragma once

#include <string>

#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery {

// Makes one in `directory` ("" is "." too), open for reading and writing. path() is "directory/stem", or the name it had:
// "directory/stem-RANDOM". Errors: kIo, kNotFound, naming it.
Result<File> create_nameless_file(FileSystem& files, const std::string& directory, const std::string& stem);

}  // namespace bloomery
