// The dialect of the "SimpleBloomFilter" that Java tutorials pass on: a BitSet of a power of two, and one
// polynomial hash over UTF-16 units for each of a few seeds.
//
//   r = 0;  for each unit u: r = seed r + u mod 2^32;   bit = r mod bits
//
// A file is what BitSet.toByteArray() gives (bit i is bit i mod 8 of byte i / 8; zero bytes at the end are
// dropped), or toLongArray() in little-endian words. It says neither how many bits there are nor which seeds:
// both stand in the option. Keys are UTF-16 units, little-endian (key form utf16); bytes of an odd number are
// none: they are refused by insert and answered maybe. Source: docs/formats/simple-java.md.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect simple_java_dialect();

}  // namespace bloomery
