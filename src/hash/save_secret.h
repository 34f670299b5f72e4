// HashSecret::save_new(), and the same function over any file system, for tests.
#pragma once

#include <string>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery {

// Creates a file atomically that only its owner may read.
Status save_new_secret(FileSystem& files, const HashSecret& secret, const std::string& path);

}  // namespace bloomery
