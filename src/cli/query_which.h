// `query --which`: of which filter, and of which of its parts, a key may be. The parts are the row groups of a
// Parquet file; any other filter is one part, number 0.
//
// One line is printed for every part that may hold a key, in the order of the lines, then of the filters:
//
//   FILE <tab> PART <tab> maybe|forced <tab> LINE
//
// `forced` means that the part has no filter. It may have any key, or any between its least and its greatest value. LINE
// is the last field, because it may have tabs. It is the key alone with --only-key. A key that no part may hold has no
// line. Lines that are left out are not printed either.
//
// 64 keys are asked at a time, so that the answers take 8 bytes a part.
#pragma once

#include "bloomery/base/result.h"
#include "cli/query_options.h"

namespace bloomery::cli {

// Returns the exit status. `options` are parsed.
Result<int> query_which(const QueryOptions& options);

}  // namespace bloomery::cli
