// The dialect of org.apache.spark.util.sketch.BloomFilter, as its writeTo() writes it. Layout: spark_header.h.
//
//   spark[:v1|v2][,seed=N][,bits=N]
//
// Both versions are read; the version word tells which. Spark up to 4.0 knows version 1 only; 4.1 makes version
// 2 with seed 0 if nobody asks for another. A long is eight bytes, little-endian; a string is its UTF-8, and
// binary is as it is. The file records neither n nor the fpp, and not what its keys were. Bytes after the words
// are kept. Source: docs/formats/spark.md.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect spark_dialect();

}  // namespace bloomery
