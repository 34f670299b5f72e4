// A file for data that does not fit in memory. It never has a name, so nobody else can open it and nothing
// remains.
//
// If the file system has no such files (O_TMPFILE), a file is made that only its owner may read, and its name
// is removed at once. Then an empty file remains if the process is killed between the two calls, or if the
// name cannot be removed in two tries. Closing the file frees its disk space. The file is never synced, since
// nobody needs that.
#pragma once

#include <string>

#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery {

// Creates a file in `directory` ("" also means ".") for reading and writing. Its path(), which errors show,
// is "directory/stem". Without O_TMPFILE it is the name that was removed: "directory/stem-RANDOM". Errors:
// kIo or kNotFound, with this path.
Result<File> create_nameless_file(FileSystem& files, const std::string& directory, const std::string& stem);

}  // namespace bloomery
