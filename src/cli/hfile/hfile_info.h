// Describes an HFile for `inspect`. `hfile info` shows more.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"

namespace bloomery::cli {

// Returns the facts of an HFile for `inspect`: its Bloom filter in the same terms as other filters, and
// whether the file is intact. Reads the entire file. Errors: those of open_hfile() and of reading.
Result<nlohmann::ordered_json> summarize_hfile(const std::string& path, const FileMemory& memory = {});

}  // namespace bloomery::cli
