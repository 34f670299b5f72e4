// The dialect of org.apache.spark.util.sketch.BloomFilter, as its writeTo() writes it. Layout:
// spark_header.h.
//
//   spark[:v1|v2][,seed=N][,bits=N]
//
// Both versions are read; the version word tells which. Spark up to 4.0 knows only version 1; 4.1 makes
// version 2 with seed 0 by default. A long is eight bytes, little-endian; a string is its UTF-8; binary is
// unchanged. The file records neither n nor the fpp, nor the type of its keys. Bytes after the words are
// kept. Source: docs/formats/spark.md.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect spark_dialect();

}  // namespace bloomery
