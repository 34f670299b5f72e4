// The arguments of create and alter as a schema, with HBase's names.
//
//   create 't', 'f1', {NAME => 'f2', VERSIONS => 5}, SPLITS => ['a', 'b'], MAX_FILESIZE => '1GB'
//   alter 't', {NAME => 'f1', VERSIONS => 5}, 'f3', {NAME => 'f2', METHOD => 'delete'}
//   alter 't', MEMSTORE_FLUSHSIZE => '64MB'
//   alter 't', METHOD => 'table_att_unset', NAME => 'MAX_FILESIZE'
//
// CONFIGURATION and METADATA are hashes of further attributes. \xHH in a split key is a byte, as in HBase.
// The attributes are those of TableSchema::set().
#pragma once

#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/table/split_keys.h"
#include "bloomery/table/table_schema.h"
#include "cli/shell/shell_value.h"

namespace bloomery::cli {

struct ShellCreate {
  TableSchema schema = {};
  SplitKeys splits = {};
};

// Errors: kInvalidArgument and kUnsupported, with the argument or attribute.
Result<ShellCreate> parse_create(std::span<const ShellValue> arguments);
// `arguments` are those after the table.
Status apply_alter(std::span<const ShellValue> arguments, TableSchema& schema);

// Return what describe prints. It can be typed again as an argument of create.
std::string describe_attributes(const TableSchema& schema);
std::string describe_family(const FamilySchema& family);

}  // namespace bloomery::cli
