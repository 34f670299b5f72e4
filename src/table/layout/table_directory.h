// Creates, changes and removes the directories of namespaces and tables in an HBase root.
//
//   ROOT/data/NS/TABLE/.tabledesc/.tableinfo.SEQUENCE.LENGTH   the descriptor
//   ROOT/data/NS/TABLE/REGION/.regioninfo
//   ROOT/data/NS/TABLE/REGION/FAMILY                           store files, and .filelist
//   ROOT/.tmp/data/NS/TABLE                                    a table that is being made or removed
//   ROOT/.tmp/data/NS/TABLE+MARK                               a copy of a table that is being made
//   ROOT/.tmp/data/NS/TABLE~                                   an old table while it is truncated or split
//
// A table appears and disappears by one rename between ROOT/.tmp and ROOT/data. To replace one takes two: the
// old table goes to TABLE~, then the new one comes. finish_interrupted() ends what a crash interrupted. After
// it, an interrupted call has happened entirely or not at all. A call that returned has happened for good.
//
// The caller has the root's lock, so nobody else writes here. It has flushed or dropped what logs and memory
// have of a table that it truncates, drops or alters. Files of dropped and truncated tables are removed; they
// do not go to HBase's archive. Source: HBase 2.6, CreateTableProcedure, FSTableDescriptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "bloomery/table/split_keys.h"
#include "bloomery/table/table_schema.h"
#include "table/layout/hbase_messages.h"

namespace bloomery::table {

// Makes data, .tmp and the namespace `default` where they are missing.
Status make_root_directories(FileSystem& files, const std::string& root);
// Call it after the root was opened, before other calls.
Status finish_interrupted(FileSystem& files, const std::string& root);

// Errors: kInvalidArgument for a name that HBase refuses, with EEXIST if the namespace exists.
Status create_namespace(FileSystem& files, const std::string& root, const std::string& name);
// Returns the names, sorted.
Result<std::vector<std::string>> list_namespaces(FileSystem& files, const std::string& root);
// Errors: kNotFound; kInvalidArgument for `default` and for a namespace that has tables.
Status drop_namespace(FileSystem& files, const std::string& root, const std::string& name);

// Creates a table with the regions between `splits`. Each has this id, as in HBase the time. No earlier table
// of the name had a region with this id and one of these start rows, or logs may have edits that seem to be
// of the new one. Errors: those of TableSchema::check(); kNotFound without the namespace; kInvalidArgument
// with EEXIST if the table exists.
Status create_table(FileSystem& files, const std::string& root, const TableSchema& schema,
                    const SplitKeys& splits, std::uint64_t region_id);

// Adds files to a region of a new table. The directory has one for each family.
using RegionFill = std::function<Status(std::size_t region, const std::string& directory)>;

// Make a table with files in two steps: all that takes time, and its appearance. `mark` is unique, and
// `region_id` new as in create_table(). drop_copy() removes what was staged and is not wanted.
Status stage_copy(FileSystem& files, const std::string& root, const TableSchema& schema,
                  const SplitKeys& splits, std::uint64_t region_id, const std::string& mark,
                  const RegionFill& fill);
Status publish_copy(FileSystem& files, const std::string& root, const TableName& table,
                    const std::string& mark);
// Gives the copy the place of the table. An interrupted call has not happened.
Status replace_by_copy(FileSystem& files, const std::string& root, const TableName& table,
                       const std::string& mark);
void drop_copy(FileSystem& files, const std::string& root, const TableName& table, const std::string& mark);

// Errors: kNotFound.
Status drop_table(FileSystem& files, const std::string& root, const TableName& table);
// Replaces the table by an empty one with the same descriptor and the regions between `splits`. `region_id`
// is new as in create_table().
Status truncate_table(FileSystem& files, const std::string& root, const TableSchema& schema,
                      const SplitKeys& splits, std::uint64_t region_id);
// Replaces the descriptor by the next one. Makes the directories of new families, and removes those of
// families that the schema no longer has. `regions` has the encoded names of the table's regions. Errors:
// those of TableSchema::check(); kNotFound.
Status alter_table(FileSystem& files, const std::string& root, const TableSchema& schema,
                   const std::vector<std::string>& regions);

}  // namespace bloomery::table
