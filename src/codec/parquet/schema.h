// Walks the schema in the footer of a Parquet file, and finds its columns.
//
//   FileMetaData field 2: list of SchemaElement, a tree in depth-first order; the first element is the root
//
//   field 1   type           only in columns (leaves)
//   field 2   type_length    of FIXED_LEN_BYTE_ARRAY
//   field 3   repetition     0 required, 1 optional, 2 repeated; the root's is ignored
//   field 4   name
//   field 5   num_children   only in groups
//   field 6   converted_type        \.
//   field 7   scale                  | the logical type, stated up to twice (column_type.h)
//   field 8   precision              |
//   field 10  logicalType           /
//
// A column's path joins the names from below the root down to the leaf with dots, like path_in_schema of its
// chunks. Column i of the schema is chunk i of each row group.
//
// An optional or repeated element adds one to the greatest definition level of the columns below it, and a
// repeated one adds one to their greatest repetition level.
//
// Only the open groups are kept: at most kDeepest. Source: docs/formats/parquet.md.
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
  // The greatest levels of a value. A value is not null if its definition level is the greatest.
  std::uint32_t definition_level = 0;
  std::uint32_t repetition_level = 0;
};

// Calls visit(column) for every column, in the order of the schema. Returns true if the file has a schema.
// Errors: the errors of visit(); kCorruption, which can also follow the last visit.
Result<bool> for_each_column(const Footer& footer, const std::function<Status(const SchemaColumn&)>& visit);

// Returns the column with this path, or nothing. Errors: kCorruption; kUnsupported if two columns
// have the path.
Result<std::optional<SchemaColumn>> find_column(const Footer& footer, std::string_view path);

}  // namespace bloomery::parquet
