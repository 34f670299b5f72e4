// The schema of a family from a text, for whoever has files and no descriptor.
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

// Returns the family that a text describes: its name, and perhaps settings under the names that HBase gives them.
//
//    f                                  HBase's defaults
//    f:VERSIONS=3,TTL=86400             TTL in seconds, or FOREVER
//
// Settings: VERSIONS, MIN_VERSIONS, TTL, KEEP_DELETED_CELLS, NEW_VERSION_BEHAVIOR, BLOOMFILTER, IS_MOB. Errors:
// kInvalidArgument.
Result<FamilySchema> parse_family_schema(std::string_view text);

}  // namespace bloomery
