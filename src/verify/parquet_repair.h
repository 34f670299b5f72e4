// Makes the filters of a Parquet file again from the values of their chunks.
//
// The new file is a copy with other bitsets. Headers of filters, sizes, pages and footer are unchanged, so
// every offset stays right. A filter gets the values that rows have, and no others.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "verify/proof.h"

namespace bloomery {

// Writes the repaired copy of `path` to `output`. Nothing is written if a chunk with a filter cannot be read
// completely. Errors: those of the chunks (kCorruption, kUnsupported, kCapacity), with row group and column;
// kInvalidArgument if the file has no filter; kCorruption if a filter overlaps another one, or pages, or an
// index; kUnsupported if the progress stops it; those of AtomicFile.
Status repair_parquet_filters(const std::string& path, const std::string& output, const ProofOptions& options,
                              const SaveTo& to = {});

}  // namespace bloomery
