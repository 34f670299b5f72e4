// The dialect of com.google.common.hash.BloomFilter, as its writeTo() writes it.
//
//   0         1    2           6                      6 + 8 W
//   +---------+----+-----------+----------------------+- - - - - - - - -
//   |strategy | k  |  W (i32)  |  W words of 64 bits  |  other data       big-endian
//   +---------+----+-----------+----------------------+- - - - - - - - -
//
// create() makes strategy 1 (mitz64). Guava before 19 made strategy 0 (mitz32). The file records neither n
// nor the fpp, nor the funnel, which corresponds to our key form. Bytes after the words are kept. A filter
// that Java's serialisation wrote (ac ed 00 05) is opened too: java_form.h. Source: docs/formats/guava.md.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect guava_dialect();

}  // namespace bloomery
