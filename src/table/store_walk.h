// The files of a store, merged by row and column: how many of them share one, and what gets would read.
//
// Asked for is what the files have, and what they have not right behind it: every row r whole, every column
// (r, q); the column q 00 and the row r 00 where nobody has them, and where the store goes on behind. Blocks
// are counted as `hfile get` reads them, each once a get: of a row, all that it covers and one more where it
// ends with its block; of a column, that of the row's beginning, where markers of its family would be, and
// its own. In memory are a block of each file and the names of a row and a column.
//
// A sample looks at stretches of rows, evenly spread over the blocks of the store. Not here: time ranges,
// what deletes hide, caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bloomery/base/result.h"
#include "hfile/recognition.h"
#include "table/get_reads.h"

namespace bloomery::table {

struct WalkOptions {
  std::size_t prefix_bytes = 0;   // of ROWPREFIX; 0 leaves it out
  std::uint64_t sample_rows = 0;  // about so many; 0 is all
};

// Errors: of a file, whose number is put into `failed`: those of StoreFileCursor, and kCorruption for keys
// that go backwards.
Result<StoreCounts> walk_store(const std::vector<hfile::OpenFilePointer>& files, const WalkOptions& options,
                               std::size_t& failed);

}  // namespace bloomery::table
