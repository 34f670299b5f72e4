// Walks the schema in the footer of a Parquet file, and finds its columns.
//
//   FileMetaData field 2: list of SchemaElement, a tree in depth-first order; the first element is the root
//
//   field 1   type           only in columns (leaves)
//   field 2   type_length    of FIXED_LEN_BYTE_ARRAY
//   field 4   name
//   field 5   num_children   only in groups
//   field 6   converted_type        \.
//   field 7   scale                  | the logical type, stated up to twice (column_type.h)
//   field 8   precision              |
//   field 10  logicalType           /
//
// A column's path has the names from below the root to the leaf, joined by dots, as in path_in_schema of its
// chunks. Column i of the schema is chunk i of each row group.
//
// Nothing is collected but the groups that are open: at most kDeepest. Source: docs/formats/parquet.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "codec/parquet/column_type.h"
#include "codec/parquet/file_metadata.h"

namespace bloomery::parquet {

struct SchemaColumn {
  std::uint64_t index = 0;
  std::string path;
  ColumnType type;
};

// Calls visit(column) for every column, in the order of the schema. Returns whether the file has a schema.
// Errors: those of visit(); kCorruption, which can also come after the last visit.
Result<bool> for_each_column(const Footer& footer, const std::function<Status(const SchemaColumn&)>& visit);

// Returns the column of this path, or nothing. Errors: as above; kUnsupported if two columns have the path.
Result<std::optional<SchemaColumn>> find_column(const Footer& footer, std::string_view path);

}  // namespace bloomery::parquet
