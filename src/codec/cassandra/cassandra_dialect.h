// The dialect of Cassandra's Filter.db, the Bloom filter of the partition keys of one sstable.
//
//   0          4          8                      8 + 8 W
//   +----------+----------+----------------------+
//   | k (i32)  | W (i32)  | W words of 64 bits   |    big-endian
//   +----------+----------+----------------------+
//
// The version of the sstable decides the order of the bits in a word and of the two halves of the hash. Only
// the file name contains it. So the dialect's name has the version, cassandra:nb, or the file keeps its own
// name, nb-7-big-Filter.db.
//
// If the directory contains the sstable's Statistics.db, its fpp must match the hash count.
//
// Keys are the bytes of partition keys; key_text.h converts them from text. Source:
// docs/formats/cassandra.md.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect cassandra_dialect();

}  // namespace bloomery
