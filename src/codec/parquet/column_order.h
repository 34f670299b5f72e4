// The order that defines the bounds of a file's columns, and how far it is trusted.
//
//   FileMetaData field 6   created_by, the program that wrote the file
//   FileMetaData field 7   column_orders, a list of unions, one per column of the schema
//   union field 1          TypeDefinedOrder: the order of the column's type
//   any other field        an order of a later version
//
// All writers compare integers and bytes alike. Some have lost values next to a NaN, or compared decimals as
// bytes: for these types only the writers of a short list, which are known to be correct, are trusted.
//
// Source: docs/formats/parquet.md.   Not here: the orders of the types (value_range.h).
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/base/result.h"
#include "codec/parquet/file_metadata.h"

namespace bloomery::parquet {

enum class ColumnOrder : std::uint8_t {
  kUnknown,
  kOfPlainTypes,  // the order of the type, if it is one of integers or bytes
  kOfAllTypes,    // the order of the type, also for floats and for decimals of any length
};

// Returns the orders that the footer lists, one per column; none in files of older
// writers. Errors: kCorruption.
Result<std::vector<ColumnOrder>> column_orders(const Footer& footer);

}  // namespace bloomery::parquet
