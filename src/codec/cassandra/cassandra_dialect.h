// The dialect of Cassandra's Filter.db, the Bloom filter of the partition keys of one sstable.
//
//   0          4          8                      8 + 8 W
//   +----------+----------+----------------------+
//   | k (i32)  | W (i32)  | W words of 64 bits   |    big-endian
//   +----------+----------+----------------------+
//
// The version of the sstable decides the order of the bits in a word and of the two halves of the hash. Only the name of
// the file tells it. So the dialect is named with it, cassandra:nb, or the file has its own name, nb-7-big-Filter.db.
//
// Beside such a file lies Statistics.db. If it is there, the fpp in it and the hash count must belong together.
//
// Keys are the bytes of partition keys; key_text.h makes them of text. Source: docs/formats/cassandra.md.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect cassandra_dialect();

}  // namespace bloomery
