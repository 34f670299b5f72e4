// The dialect of the "SimpleBloomFilter" that Java tutorials copy from each other. It is a BitSet whose
// number of bits is a power of two, with one polynomial hash over UTF-16 units per seed.
//
//   r = 0
//   for each unit u: r = seed r + u mod 2^32
//   position r mod bits
//
// A file has one of two forms:
//
//   bytes   BitSet.toByteArray(): bit i is bit i mod 8 of byte i / 8; zero bytes at the end are dropped
//   words   BitSet.toLongArray(), each word little-endian
//
// The file stores neither the number of bits nor the seeds, so the option names both. Keys are UTF-16 units,
// little-endian (key form utf16). A key with an odd number of bytes is not a string: insert refuses it, and a
// query answers maybe. Source: docs/formats/simple-java.md.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect simple_java_dialect();

}  // namespace bloomery
