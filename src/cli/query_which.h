// `query --which`: prints which filters, and which parts of them, may contain a key. The parts of a Parquet
// file are its row groups; any other filter is one part, number 0.
//
// One line is printed for every part that may contain a key, in the order of the lines, then of the filters:
//
//   FILE <tab> PART <tab> maybe|forced <tab> LINE
//
// `forced` means that the part has no filter. It may contain any key, or any between its least and its
// greatest value. LINE is the last field, because it may contain tabs; with --only-key it is only the key. A
// key that no part may contain has no line of output, and neither has a skipped line.
//
// 64 keys are queried at a time, so that the answers need 8 bytes per part.
#pragma once

#include "bloomery/base/result.h"
#include "cli/query_options.h"

namespace bloomery::cli {

// Returns the exit status. Precondition: `options` are parsed.
Result<int> query_which(const QueryOptions& options);

}  // namespace bloomery::cli
