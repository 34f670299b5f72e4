// Prints the read counters of a table on standard error: `table get --counters`.
#pragma once

#include "bloomery/hfile/block_cache.h"
#include "bloomery/table/read_counters.h"

namespace bloomery::cli {

void print_counters(const TableReadCounters& counters, const CacheCounters& cache);

}  // namespace bloomery::cli
