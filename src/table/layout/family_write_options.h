// The options with which the files of a family are written: what its attributes say, for the rest HBase's
// defaults.
#pragma once

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_write_options.h"
#include "bloomery/table/table_schema.h"

namespace bloomery::table {

// The options of a flush: purpose, times and sequence ids are the caller's. Errors: kInvalidArgument for a
// compression, an encoding, a filter or a number that HBase does not know; kUnsupported.
Result<HFileWriteOptions> write_options_of(const FamilySchema& family);

}  // namespace bloomery::table
