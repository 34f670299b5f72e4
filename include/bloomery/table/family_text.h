// Families and attributes as text: of a table that is read and has no descriptor, and of a new table.
//
// Example:
//    TableOptions options{.schema = TableSchema()};
//    if (auto family = parse_family_schema("f:VERSIONS=3,TTL=86400")) {
//      options.schema->families.push_back(*family);
//    }
//    auto users = TableSchema::of_table("users");
//    Status added = set_family(*users, "f,VERSIONS=3,BLOOMFILTER=ROWCOL", FamilyIs::kNew);
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

// Whether a family is added, or one that exists may be changed.
enum class FamilyIs { kNew, kNewOrChanged };

// Adds a family with HBase's default attributes, and sets those of the text:
//
//    d,VERSIONS=3,BLOOMFILTER=ROWCOL
//
// src/table/layout/attributes.h lists the attributes. Errors: kInvalidArgument and kUnsupported, which name
// the text and the attribute.
Status set_family(TableSchema& schema, std::string_view text, FamilyIs is);
// Returns the names of the attributes that families, and tables, can have.
std::vector<std::string> family_attribute_names();
std::vector<std::string> table_attribute_names();
// Sets an attribute of the table: "MEMSTORE_FLUSHSIZE=64MB". Errors: those of set_family().
Status set_table_attribute(TableSchema& schema, std::string_view text);

}  // namespace bloomery
