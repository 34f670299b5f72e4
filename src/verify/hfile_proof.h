// Proves the Bloom filters of an HFile by its cells: rows, columns, prefixes and rows with delete-family
// markers (bloomery/table/verify.h, which also checks everything else in the file).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bloomery/table/verify.h"
#include "verify/proof.h"

namespace bloomery {

// Returns true if the file begins or ends like an HFile, or has the path of a store file:
// REGION/FAMILY/FILE, whose first and last names are at least 32 hexadecimal digits.
bool is_hfile(const std::string& path, std::span<const std::byte> bytes);

Proof prove_hfile(const std::string& path, const ProofOptions& options);

// Turns the result of verify_hfile() into a proof.
Proof proof_of_hfile(const std::string& path, VerifiedHFile verified);

}  // namespace bloomery
