// Merges the files of a store by row and column. Counts how many files share a row or column, and the reads
// of simulated gets.
//
// It simulates these gets, at every row r and every column (r, q) of the store:
//
//   whole row            r
//   present cell         (r, q)
//   absent column        (r, q 00), unless a file has it
//   absent row           r 00, unless a file has it or the store ends before it
//   column of that row   any column of r 00, in the same cases
//
// Blocks are counted as `hfile get` reads them, each once per get:
//
//   - A get of a row reads all blocks that the row covers, and one more if it ends with its block.
//   - A get of a column reads the block where the row begins, since markers of the family would be there, and
//     the column's own blocks.
//
// Memory holds of each file a block and up to 64 KiB of read-ahead, and the names of a row and a column.
//
// A sample consists of ranges of rows that are evenly spread over the blocks of the store. Time ranges,
// delete markers and caches are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bloomery/base/result.h"
#include "hfile/recognition.h"
#include "table/get_reads.h"

namespace bloomery::table {

struct WalkOptions {
  std::size_t prefix_bytes = 0;   // the length of ROWPREFIX; 0 leaves it out
  std::uint64_t sample_rows = 0;  // approximate; 0 is all
};

// Walks the store. Errors: kIo, kUnsupported, kCapacity; kCorruption also for keys that are out of order.
// After an error, `failed` is the number of the file that failed.
Result<StoreCounts> walk_store(const std::vector<hfile::OpenFilePointer>& files, const WalkOptions& options,
                               std::size_t& failed);

}  // namespace bloomery::table
