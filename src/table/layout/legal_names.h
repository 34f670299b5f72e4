// HBase's rules for the names of namespaces, tables and families.
//
// Letters are ASCII: HBase accepts letters of any language in the names of namespaces and tables, which no
// file system compares the same way. Source: HBase 2.6, TableName and ColumnFamilyDescriptorBuilder.
#pragma once

#include <string_view>

#include "bloomery/base/result.h"
#include "table/layout/hbase_messages.h"

namespace bloomery::table {

// Errors: kInvalidArgument.
Status check_namespace_name(std::string_view name);
Status check_table_name(const TableName& table);
// A snapshot's name follows the rules of a table's.
Status check_snapshot_name(std::string_view name);
// Its error has no subject.
Status check_family_name(std::string_view family);

}  // namespace bloomery::table
