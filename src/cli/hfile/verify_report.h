// Prints the findings of an HFile check, for `hfile verify` and `table verify`.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/table/verify.h"

namespace bloomery::cli {

// Prints a line for each finding, a line that says whether the file is intact, and a line for each remark.
void print_integrity(const std::string& file, const VerifiedHFile& verified);
// Returns the findings and the counts as a JSON object.
nlohmann::ordered_json integrity_json(const std::string& file, const VerifiedHFile& verified);

}  // namespace bloomery::cli
