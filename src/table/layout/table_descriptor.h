// The file that has a table's schema.
//
//   TABLE/.tabledesc/.tableinfo.SEQUENCE.LENGTH     ten digits, and the size of the file in bytes
//   TABLE/.tabledesc/.tableinfo.SEQUENCE, .tableinfo   the names of older releases
//   TABLE/.tabledesc/.new                           the next descriptor while it is written
//
// The complete file of the greatest SEQUENCE counts; one that is shorter than LENGTH is being written. HBase
// writes a descriptor in place. A local disk may show wrong bytes of full length after a crash, so here the
// file gets its name when it is complete. Source: HBase 2.6, FSTableDescriptors.
#pragma once

#include <string>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "bloomery/table/table_schema.h"

namespace bloomery::table {

// `table` is the table's directory. Errors: kNotFound without .tabledesc; kCorruption; kIo.
Result<TableSchema> read_descriptor(FileSystem& files, const std::string& table);
// Writes the next descriptor, in one atomic step, and removes the others. Makes .tabledesc if it is missing.
Status write_descriptor(FileSystem& files, const std::string& table, const TableSchema& schema);

}  // namespace bloomery::table
