// The order in which the bounds of a file's columns are meant, and how far it is believed.
//
//   FileMetaData field 6   created_by, the program that wrote the file
//   FileMetaData field 7   column_orders, a list of unions, one for each column of the schema
//   union field 1          TypeDefinedOrder: the order of the column's type
//   any other field        an order of a later version
//
// All writers compare whole numbers and bytes alike. Some have lost values beside a NaN, or compared decimals as bytes:
// for these types only the writers of a short list are believed, which are known to do it right.
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
  kOfPlainTypes,  // that of the type, where it is one of whole numbers or bytes
  kOfAllTypes,    // that of the type, also for floats and for decimals of any length
};

// Returns the order of each column, as many as the footer lists; none in files of older writers. Errors: kCorruption.
Result<std::vector<ColumnOrder>> column_orders(const Footer& footer);

}  // namespace bloomery::parquet
