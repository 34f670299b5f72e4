// Families and attributes as the command line gives them, with HBase's names.
//
//   FAMILY[,ATTRIBUTE=VALUE...]     d,VERSIONS=3,BLOOMFILTER=ROWCOL
//   ATTRIBUTE=VALUE                 MEMSTORE_FLUSHSIZE=64MB, of the table
//
// src/table/layout/attributes.h lists the attributes.
#pragma once

#include <string>
#include <vector>

#include "bloomery/table/split_keys.h"
#include "bloomery/table/table_schema.h"

namespace bloomery::cli {

// Adds the family, or changes the one that is there.
enum class FamilyIs { kNew, kNewOrChanged };

// Errors: kInvalidArgument and kUnsupported, which name the text and the attribute.
Status set_family(TableSchema& schema, const std::string& text, FamilyIs is);
Status set_table_attribute(TableSchema& schema, const std::string& text);

// Returns the keys in order; \xHH is a byte. Errors: kInvalidArgument.
Result<SplitKeys> split_keys_of(const std::vector<std::string>& texts);

}  // namespace bloomery::cli
