// The dialect of Parquet's split-block Bloom filters. The bytes tell which of two kinds a file is:
//
//   one filter by itself                      raw_filter.h
//   a .parquet file, for one of its columns   column_filters.h
//
// The option has two meanings:
//
//   parquet[:arrow|duckdb]        to build, or to open a filter by itself: the rule that sizes it
//   parquet[:COLUMN[,ROWGROUP]]   to open a .parquet file
//
// Keys are plain-encoded values: INT32 as 4 bytes, INT64 as 8 bytes, little-endian; text as its bytes,
// without a length. Source: docs/formats/parquet.md. Not here: writing .parquet files.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect parquet_dialect();

}  // namespace bloomery
