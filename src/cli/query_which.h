// `query --which`: tells which filters, and which of their parts, may hold a key. The parts are the row
// groups of a Parquet file; any other filter is one part, number 0.
//
// One line is printed for every part that may hold a key, in the order of the lines, then of the filters:
//
//   FILE <tab> PART <tab> maybe|forced <tab> LINE
//
// `forced` means that the part has no filter. It may have any key, or any between its least and its
// greatest value. LINE is the last field, because it may contain tabs. It is only the key with --only-key.
// A key that no part may hold has no line. Skipped lines are not printed either.
//
// 64 keys are queried at a time, so that the answers need 8 bytes a part.
#pragma once

#include "bloomery/base/result.h"
#include "cli/query_options.h"

namespace bloomery::cli {

// Returns the exit status. `options` are parsed.
Result<int> query_which(const QueryOptions& options);

}  // namespace bloomery::cli
