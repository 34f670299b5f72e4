// Proves a file, or every file in a directory and below it that is of a known kind.
//
//   kind of file                   recognised by                        proven in
//   native filter                  first bytes                          filter_file_proof.h
//   leased file and its filters    first bytes, FILE.7                  filter_file_proof.h
//   range file, part               first bytes                          filter_file_proof.h
//   HFile                          first block, trailer, path           hfile_proof.h
//   table of LevelDB or RocksDB    last bytes, name                     table_proof.h
//   database of either             a directory with a file CURRENT      database_proof.h
//   filter of Cassandra            name                                 cassandra_proof.h
//   Parquet file                   first bytes                          parquet_proof.h
//   filter of another system       its dialect                          filter_file_proof.h
//
// The first row that knows a file proves it. In a directory, a file of no row is passed over and counted.
// Files are in the order of their names. A directory is read once, also if symbolic links lead to it again.
// A file that vanishes or cannot be read is unproven.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "verify/database_proof.h"
#include "verify/proof.h"

namespace bloomery {

struct PassedOver {
  std::uint64_t files = 0;
  std::string first = {};
  std::uint64_t unlisted_tables = 0;  // of databases, not in their manifest
};

// Calls `see` for each proof. Errors: kNotFound; kIo for a directory that cannot be read; kCorruption for a
// file of no known kind, if `path` names it.
Status prove_path(const std::string& path, const ProofOptions& options, const SeeProof& see,
                  PassedOver& passed_over);

// Makes the filters of the file `path` again from their data, and writes the new file `output`: a Filter.db
// of Cassandra, or a copy of a Parquet file with other bitsets. Errors: kInvalidArgument for other kinds,
// which says how the owner makes the filter again; those of cassandra_proof.h and parquet_proof.h.
Status repair_path(const std::string& path, const std::string& output, const ProofOptions& options,
                   const SaveTo& to);

}  // namespace bloomery
