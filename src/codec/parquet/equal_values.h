// Lists the other encodings of a value: bytes that differ but mean an equal value.
//
// A filter hashes bytes. If writers store one value in several ways, a no is certain only after querying all
// of them:
//
//   0.0 and -0.0                 both are queried (FLOAT, DOUBLE, FLOAT16)
//   NaN                          has very many bit patterns: the answer is maybe, whatever the filters say
//   INT96 before 1970            Arrow stores the day that begins after the instant, and negative nanoseconds
//   DECIMAL of BYTE_ARRAY        the fewest bytes, or as many as the precision needs, or 4, 8, 16 or 32
//
// Every other value has one encoding.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codec/parquet/column_type.h"

namespace bloomery::parquet {

// Returns true if values of the type may have several encodings.
bool has_equal_values(const ColumnType& type);

// Returns true if the value has too many encodings to query them all.
bool is_any_of_many(const ColumnType& type, std::string_view value);

// Appends the other encodings of a value.
void append_equal_values(const ColumnType& type, std::string_view value, std::vector<std::string>& others);

}  // namespace bloomery::parquet
