// Merges the files of a store by row and column, and counts how many files share a row or column and what
// gets would read.
//
// It makes these gets in turn, at every row r and every column (r, q) of the store:
//
//   whole row            r
//   present cell         (r, q)
//   absent column        (r, q 00), unless a file has it
//   absent row           r 00, unless a file has it or the store ends before it
//   column of it         likewise
//
// Blocks are counted as `hfile get` reads them, each once a get:
//
//   - A get of a row reads all blocks that the row covers, and one more if it ends with its block.
//   - A get of a column reads the block where the row begins, since markers of the family would be there, and
//     the column's own blocks.
//
// In memory are a block of each file, and the names of a row and a column.
//
// A sample looks at stretches of rows that are evenly spread over the blocks of the store. Not here: time
// ranges, what deletes hide, caches.
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
  std::uint64_t sample_rows = 0;  // about so many; 0 is all
};

// Walks the store. Errors: those of StoreFileCursor, and kCorruption for keys that go backwards. The number
// of the file that failed is then in `failed`.
Result<StoreCounts> walk_store(const std::vector<hfile::OpenFilePointer>& files, const WalkOptions& options,
                               std::size_t& failed);

}  // namespace bloomery::table
