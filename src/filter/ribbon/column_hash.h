// The hash by which a ribbon's exception column knows a key: the two words swapped. The column so works from
// the high word, and is independent of the answer of the ribbon, which works from the low word. On disk since
// exceptions entered format version 1.
#pragma once

#include "bloomery/hash/hash128.h"

namespace bloomery {

inline Hash128 column_hash(const Hash128& hash) {
  return {.low = hash.high, .high = hash.low};
}

}  // namespace bloomery
