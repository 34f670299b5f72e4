// What kept a get from reading a file, in the order in which it is asked.
#pragma once

#include <cstdint>

namespace bloomery {

enum class SkippedBy : std::uint8_t {
  kNothing,      // it was read
  kNoCells,      // it has none
  kTimeRange,    // all of its cells are older or newer
  kKeyRange,     // the row is before its first or behind its last one
  kBloomFilter,  // of rows, of prefixes of rows or of columns
};

// Whether a skip by a Bloom filter comes with the chunk and the bits that told: it is read again for that.
enum class ExplainSkips { kNo, kYes };

}  // namespace bloomery
