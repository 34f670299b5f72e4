// Verifies the checksums and invariants of this project's own files. They hold no keys, so none are asked.
//
//   file                                  verified
//   filter, with ribbons in shards        all checksums, and what each type defers (AnyFilter::verify())
//   part of a ribbon, range file          all checksums, and the ranges of shards and hashes
//   leased file, and its filter FILE.7    the page, and the header: a feeder may be changing the bits
//
// Source: docs/formats/native.md, docs/formats/leased-file.md, docs/formats/spread-build.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "verify/proof.h"

namespace bloomery {

bool is_native_file(const std::string& path, std::span<const std::byte> bytes);
Proof prove_native_file(const std::string& path, const ProofOptions& options);

bool is_leased_file(const std::string& path, std::span<const std::byte> bytes);
Proof prove_leased_file(const std::string& path, const ProofOptions& options);

bool is_spread_file(const std::string& path, std::span<const std::byte> bytes);
Proof prove_spread_file(const std::string& path, const ProofOptions& options);

}  // namespace bloomery
