// The least and the greatest value of a column in a row group, as the footer states them, and what they deny.
//
// A row group without a Bloom filter still denies a key that is below its least value or above its greatest one. Such a
// no must be certain, so that only statements whose order is well defined are believed:
//
//   min_value, max_value   where the column's order is that of its type, and is believed for it (column_order.h):
//     signed               INT32, INT64 and the signed logical types of them, decimals among them
//     unsigned             INT(8..64, unsigned)
//     floats               FLOAT, DOUBLE, FLOAT16: 0.0 equals -0.0, NaN is in no range and never denied
//     bytes                BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY, STRING, ENUM, JSON, BSON, UUID, as unsigned bytes
//     decimals             DECIMAL of bytes: big-endian two's complement, of any length
//   min, max               the older fields, of the signed whole numbers only: writers compared all else in several ways
//
// INT96, INTERVAL and types that are not known have no order, and neither has a column with another one than that of its
// type. A range is not believed if its least value is above its greatest one, if both generations of the fields contradict
// each other, if a bound has another length than values, or is a NaN. A bound of bytes may be shortened; it is a bound
// nevertheless. A bound that is empty above is none, because some writers mean by it that nothing is known.
//
// Source: docs/formats/parquet.md.   Not here: reading the fields (file_metadata.h).
#pragma once

#include <optional>
#include <string_view>

#include "codec/parquet/column_order.h"
#include "codec/parquet/column_type.h"
#include "codec/parquet/file_metadata.h"

namespace bloomery::parquet {

// Views into the footer. A bound that is not there does not deny.
struct ValueRange {
  std::optional<std::string_view> least;
  std::optional<std::string_view> greatest;
};

// Returns the range that the statistics of a chunk state for certain; nothing if they state none.
std::optional<ValueRange> certain_range(const ColumnType& type, const Statistics& statistics,
                                        ColumnOrder stated_order);

// Whether the value is certainly not among those of the range, in whatever bytes it is stored. Precondition: the range is
// one of certain_range() for this type.
bool is_outside(const ColumnType& type, const ValueRange& range, std::string_view value);

}  // namespace bloomery::parquet
