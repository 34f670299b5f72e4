// Opens a filter of another system that has no data beside it. What its format can tell is checked: then it
// is damaged or cannot be proven, never sound. A list of its keys proves it (key_list_proof.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "verify/proof.h"

namespace bloomery {

// Returns true if the bytes are certainly a filter of a dialect.
bool is_dialect_file(const std::string& path, std::span<const std::byte> bytes);

// `dialect` is NAME[:OPTION]; empty if the bytes tell it.
Proof prove_dialect_file(const std::string& path, const ProofOptions& options, std::string_view dialect);
inline Proof prove_recognised_file(const std::string& path, const ProofOptions& options) {
  return prove_dialect_file(path, options, {});
}

}  // namespace bloomery
