// `build -t ribbon --partition N`, the first step of a distributed build. It writes the hashes of one
// machine's keys to N range files in a folder (filter/spool/range_files.h).
//
//    each machine    build --partition N -o DIR      keys        -> DIR/range-I-of-N.hashes
//    each range      build --shards I/N -o part.I    range files -> a part           (build_part.cc)
//    once            merge -o FILTER part.*          parts       -> the filter       (verb_merge.cc)
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "bloomery/base/result.h"
#include "cli/build_plan.h"
#include "filter/spool/range_files.h"

namespace bloomery::cli {

// Returns the exit status.
Result<int> build_partition(const BuildPlan& plan);

// Returns the spool options for the hashes before they are split into range files: in `directory`, with the
// build's memory.
HashSpoolOptions partition_spool(const BuildPlan& plan, const std::string& directory);

// The disk space of the range files, and of the spool that precedes them, for a number of keys.
struct PartitionNeeds {
  std::uint64_t spool_bytes;
  std::uint64_t file_bytes;
};
PartitionNeeds partition_needs(std::uint64_t keys, const HashSpoolOptions& spool);

// Passes the hashes of all keys to the writer, until `stop`. Errors: those of for_each_key_batch().
Status fill_range_files(const BuildPlan& plan, KeyHasher& hasher, RangeFilesWriter& writer,
                        const std::atomic<bool>& stop);

}  // namespace bloomery::cli
