// The bytes that values have which are equal to a value, but are stored in another way.
//
// A filter hashes bytes. Where writers store one value in several ways, a no is certain only if all of them
// are asked:
//
//   0.0 and -0.0                 both are asked (FLOAT, DOUBLE, FLOAT16)
//   NaN                          has very many bit patterns: the answer is maybe, whatever the filters say
//   INT96 before 1970            Arrow stores the day that begins after the instant, and negative nanoseconds
//   DECIMAL of BYTE_ARRAY        the fewest bytes, or as many as the precision needs, or 4, 8, 16 or 32
//
// Every other value has one spelling.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codec/parquet/column_type.h"

namespace bloomery::parquet {

// Whether values of the type may have several spellings.
bool has_equal_values(const ColumnType& type);

// Whether the value has so many spellings that a filter cannot be asked for all.
bool is_any_of_many(const ColumnType& type, std::string_view value);

// Appends the other spellings of a value.
void append_equal_values(const ColumnType& type, std::string_view value, std::vector<std::string>& others);

}  // namespace bloomery::parquet
