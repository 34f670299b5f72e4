// The dialect of com.google.common.hash.BloomFilter, as its writeTo() writes it.
//
//   0         1    2           6                      6 + 8 W
//   +---------+----+-----------+----------------------+- - - - - - - - -
//   |strategy | k  |  W (i32)  |  W words of 64 bits  |  other data       big-endian
//   +---------+----+-----------+----------------------+- - - - - - - - -
//
// Strategy 1 (mitz64) is what create() makes, 0 (mitz32) what Guava before 19 made. The file says neither n
// nor fpp nor the funnel: that is the key's form. What stands behind the words is kept. Source:
// docs/formats/guava.md. Not here: filters written by Java's serialisation (ac ed 00 05).
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect guava_dialect();

}  // namespace bloomery
