// Prints the findings of an HFile check, for `hfile verify` and `table verify`.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/table/verify.h"

namespace bloomery::cli {

// Prints the lines of `verify` for an HFile (cli/proof_report.h).
void print_integrity(const std::string& file, const VerifiedHFile& verified);
// Returns the findings and the counts as a JSON object.
nlohmann::ordered_json integrity_json(const std::string& file, const VerifiedHFile& verified);

}  // namespace bloomery::cli
