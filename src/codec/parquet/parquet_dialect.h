// The dialect of Parquet's split-block Bloom filters: one by itself (raw_filter.h), and those of a column
// inside a .parquet file (column_filters.h); the bytes tell which.
//
//   making    parquet[:arrow|duckdb]        the rule that sizes it
//   opening   parquet[:COLUMN[,ROWGROUP]]   a .parquet file;  parquet[:arrow|duckdb]  one by itself
//
// Keys are the plain-encoded values: INT32 4 and INT64 8 bytes, little-endian; text as its bytes, without a
// length. Source: docs/formats/parquet.md. Not here: writing .parquet files.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect parquet_dialect();

}  // namespace bloomery
