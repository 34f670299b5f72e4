// Checks filter files that come without their data: filters and range files of this project, and filters of
// other systems.
//
// This project's own files are checked by their checksums and invariants. They hold no keys, so none are
// asked.
//
//   file                                  verified
//   filter, with ribbons in shards        all checksums, and what each type defers (AnyFilter::verify())
//   part of a static filter, range file   all checksums, and the ranges of shards and hashes
//   leased file, and its filter FILE.7    the page, and the header: a feeder may be changing the bits
//
// A filter of another system is checked by the facts that its format records. Then it is damaged or cannot be
// proven, never sound. A list of its keys proves it (`verify --keys`).
//
// Source: docs/formats/native.md, docs/formats/leased-file.md, docs/formats/spread-build.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "verify/proof.h"

namespace bloomery {

bool is_native_file(const std::string& path, std::span<const std::byte> bytes);
Proof prove_native_file(const std::string& path, const ProofOptions& options);

bool is_leased_file(const std::string& path, std::span<const std::byte> bytes);
Proof prove_leased_file(const std::string& path, const ProofOptions& options);

bool is_spread_file(const std::string& path, std::span<const std::byte> bytes);
Proof prove_spread_file(const std::string& path, const ProofOptions& options);

// Returns true if the bytes are certainly a filter of a dialect.
bool is_dialect_file(const std::string& path, std::span<const std::byte> bytes);
// Returns true if they may be one, but other bytes could look so, too.
bool may_be_dialect_file(const std::string& path);

// `dialect` is NAME[:OPTION]; empty if the bytes tell it.
Proof prove_dialect_file(const std::string& path, const ProofOptions& options, std::string_view dialect);
inline Proof prove_recognised_file(const std::string& path, const ProofOptions& options) {
  return prove_dialect_file(path, options, {});
}

}  // namespace bloomery
