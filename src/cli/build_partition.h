// `build -t ribbon --partition N`, the first step of a spread build: the hashes of one machine's keys go to N
// range files in a folder (filter/spool/range_files.h).
//
//    each machine    build --partition N -o DIR      keys        -> DIR/range-I-of-N.hashes
//    each range      build --shards I/N -o part.I    range files -> a part           (build_part.h)
//    once            merge -o FILTER part.*          parts       -> the filter       (merge_parts.h)
#pragma once

#include "bloomery/base/result.h"
#include "cli/build_options.h"

namespace bloomery::cli {

// Returns the exit status. Precondition: the options' keys are parsed.
Result<int> build_partition(const BuildOptions& options);

}  // namespace bloomery::cli
