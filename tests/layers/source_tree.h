// The sources that tests of the layers read.
#pragma once

#include <filesystem>

namespace bloomery {

namespace fs = std::filesystem;

inline const fs::path kSourceTree = BLOOMERY_SOURCE;

}  // namespace bloomery
