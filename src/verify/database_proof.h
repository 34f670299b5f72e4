// Proves every live table of a LevelDB or RocksDB database: those that its manifest lists.
//
//   table                                          result
//   listed                                         table_proof.h, with the manifest's size and range of keys
//   listed, and missing                            damaged
//   listed, in another folder (RocksDB's db_paths) unproven
//   not listed: obsolete, or being written         not looked at
//
// The database may be in use. If its manifest changes, the tables that became live are proven too, and a table
// that is gone was replaced by these. The manifest has a result of its own, the last one.
// Not here: the write-ahead logs, which no filter stands for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "verify/proof.h"

namespace bloomery {

using SeeProof = std::function<void(Proof proof)>;

// Returns true if the directory has a file CURRENT, and is not one of Pebble.
bool is_database(const std::string& folder);

// Calls `see` for each result. Returns the numbers of the tables that the manifest lists, or nothing if it
// cannot be read.
std::optional<std::set<std::uint64_t>> prove_database(const std::string& folder, const ProofOptions& options,
                                                      const SeeProof& see);

}  // namespace bloomery
