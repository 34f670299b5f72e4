// The least and the greatest value of a column in a row group, according to the footer, and the keys that
// they reject.
//
// A row group without a Bloom filter still rejects a key below its least value or above its greatest one.
// Such a no must be certain, so only statements with a well-defined order are trusted:
//
//   min_value, max_value   if the column's order is that of its type, and is trusted for it (ColumnOrder):
//     signed               INT32, INT64 and their signed logical types, including decimals
//     unsigned             INT(8..64, unsigned)
//     floats               FLOAT, DOUBLE, FLOAT16: 0.0 equals -0.0; NaN is in no range and never rejected
//     bytes                BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY, STRING, ENUM, JSON, BSON, UUID: unsigned bytes
//     decimals             DECIMAL of bytes: big-endian two's complement, of any length
//   min, max               the older fields, only of signed integers: writers order all else differently
// INT96, INTERVAL and unknown types have no order; nor has a column whose order differs from that of its
// type. A range is not trusted if its least value is above its greatest, or if the old and new fields
// contradict each other. Nor is a bound that is a NaN or differs in length from the values. A bound of
// bytes may be shortened and still is a bound. An empty upper bound is ignored, because some writers use
// it for "unknown".
//
// Source: docs/formats/parquet.md.   Not here: reading the fields (file_metadata.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "codec/parquet/column_type.h"
#include "codec/parquet/file_metadata.h"

namespace bloomery::parquet {

// The order that defines the bounds of a file's columns, and how far it is trusted.
//
//   FileMetaData field 6   created_by, the program that wrote the file
//   FileMetaData field 7   column_orders, a list of unions, one per column of the schema
//   union field 1          TypeDefinedOrder: the order of the column's type
//   any other field        an order of a later version
//
// All writers compare integers and bytes alike. Some have lost values next to a NaN, or compared decimals as
// bytes: for these types only the writers of a short list, which are known to be correct, are trusted.
enum class ColumnOrder : std::uint8_t {
  kUnknown,
  kOfPlainTypes,  // the order of the type, if it is one of integers or bytes
  kOfAllTypes,    // the order of the type, also for floats and for decimals of any length
};

// Returns the orders that the footer lists, one per column; none in files of older
// writers. Errors: kCorruption.
Result<std::vector<ColumnOrder>> column_orders(const Footer& footer);

// Views into the footer. A missing bound rejects nothing.
struct ValueRange {
  std::optional<std::string_view> least;
  std::optional<std::string_view> greatest;
};

// Returns the range that a chunk's statistics state with certainty; nothing if they state none.
std::optional<ValueRange> certain_range(const ColumnType& type, const Statistics& statistics,
                                        ColumnOrder stated_order);

// Returns true if the value is certainly outside the range, whatever bytes encode it. Precondition:
// certain_range() returned the range for this type.
bool is_outside(const ColumnType& type, const ValueRange& range, std::string_view value);

}  // namespace bloomery::parquet
