// Prints on standard error what the reads of a table did: `table get --counters`.
#pragma once

#include "bloomery/hfile/block_cache.h"
#include "bloomery/table/read_counters.h"

namespace bloomery::cli {

void print_counters(const TableReadCounters& counters, const CacheCounters& cache);

}  // namespace bloomery::cli
