// Parses the schema of a family from text, for users who have files and no table descriptor.
//
// Example:
//    TableOptions options{.schema = TableSchema()};
//    if (auto family = parse_family_schema("f:VERSIONS=3,TTL=86400")) {
//      options.schema->families.push_back(*family);
//    }
#pragma once

#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/table/table_schema.h"

namespace bloomery {

// Parses a family: its name, and optional settings under HBase's names.
//
//    f                                  HBase's defaults
//    f:VERSIONS=3,TTL=86400             TTL in seconds, or FOREVER
//
// Settings: VERSIONS, MIN_VERSIONS, TTL, KEEP_DELETED_CELLS, NEW_VERSION_BEHAVIOR, BLOOMFILTER, IS_MOB.
// Errors: kInvalidArgument.
Result<FamilySchema> parse_family_schema(std::string_view text);

}  // namespace bloomery
