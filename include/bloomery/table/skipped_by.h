// The reasons for which a get skips a file, in the order in which they are checked.
#pragma once

#include <cstdint>

namespace bloomery {

enum class SkippedBy : std::uint8_t {
  kNothing,        // the file was read
  kNoCells,        // the file has no cells
  kTimeRange,      // all of its cells are older or newer
  kKeyRange,       // the row is before its first row or after its last one
  kBloomFilter,    // a filter of rows, of prefixes of rows or of columns
  kNewerCells,     // its newest cell is older than the cells already found
  kRequestFilter,  // the filter of the request needs no more of the row
};

// Decides whether a skip by a Bloom filter is explained by its chunk and bits. The chunk is read again for
// that.
enum class ExplainSkips { kNo, kYes };

}  // namespace bloomery
