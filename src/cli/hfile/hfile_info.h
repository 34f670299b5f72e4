// What `hfile info` shows, and `inspect` a part of.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

// What `inspect` says of an HFile: its Bloom filter in the words of other filters, and whether it is whole,
// for which all of it is read. Errors: those of open_hfile(), and of what it reads.
Result<nlohmann::ordered_json> summarize_hfile(const std::string& path, const FileMemory& memory = {});

}  // namespace bloomery::cli
