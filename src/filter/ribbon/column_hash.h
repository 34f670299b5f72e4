// The hash by which a ribbon's exception column knows a key: the words turned, so that the column works from
// the high one and knows nothing of what the ribbon asked. On disk since exceptions entered format version 1.
#pragma once

#include "bloomery/hash/hash128.h"

namespace bloomery {

inline Hash128 column_hash(const Hash128& hash) {
  return {.low = hash.high, .high = hash.low};
}

}  // namespace bloomery
