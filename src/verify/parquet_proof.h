// Proves the filters of a Parquet file: each value of a column chunk is asked of the chunk's filter.
//
//   a chunk with a filter      all its values that are not null are read and asked; a value of its dictionary
//                              that rows have is asked once
//   a chunk without a filter   is not read: a reader that has no filter reads the values
//   a chunk that is encrypted, is a reason why nothing is proven, with its row group and column
//   or of an encoding, codec
//   or type that is not read
//   a file without filters     likewise
//
// docs/formats/parquet.md lists what is read of pages. A proof needs memory for the columns of the schema,
// one page and one dictionary.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "verify/proof.h"

namespace bloomery {

// Makes the filters of a Parquet file again from the values of their chunks.
//
// The new file is a copy with other bitsets. Headers of filters, sizes, pages and footer are unchanged, so
// every offset stays right. A filter gets the values that rows have, and no others.
//
// Writes the repaired copy of `path` to `output`. Nothing is written if a chunk with a filter cannot be read
// completely. Errors: those of the chunks (kCorruption, kUnsupported, kCapacity), with row group and column;
// kInvalidArgument if the file has no filter; kCorruption if a filter overlaps another one, or pages, or an
// index; kUnsupported if the progress stops it; those of AtomicFile.
Status repair_parquet_filters(const std::string& path, const std::string& output, const ProofOptions& options,
                              const SaveTo& to = {});

// Returns true if the bytes begin like a Parquet file with columns.
bool is_parquet_file(const std::string& path, std::span<const std::byte> bytes);
Proof prove_parquet_file(const std::string& path, const ProofOptions& options);
// Proves the bytes of a file. `path` names it in the proof.
Proof prove_parquet_bytes(std::span<const std::byte> file, const std::string& path,
                          const ProofOptions& options);

}  // namespace bloomery
