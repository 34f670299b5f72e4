// The hash of a key in a ribbon's exception column: the two words swapped. So the column uses the high word
// and is independent of the ribbon's answer, which uses the low word. On disk since exceptions entered format
// version 1.
#pragma once

#include "bloomery/hash/hash128.h"

namespace bloomery {

inline Hash128 column_hash(const Hash128& hash) {
  return {.low = hash.high, .high = hash.low};
}

}  // namespace bloomery
