// Finds the process that holds the lock of a file, for messages.
#pragma once

#include <optional>
#include <string>

#include "base/file.h"

namespace bloomery {

// Returns the id of the process that holds flock(2) of the file, by /proc/locks. Returns nothing if there is
// none, if the system has no such list, or if the process is in another container.
std::optional<long> lock_holder(const FileFacts& facts);

// Returns Error::in_use() with the process, if it is known.
Error held_by_other(const std::string& path, const Result<FileFacts>& lock);

}  // namespace bloomery
