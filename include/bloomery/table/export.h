// The way out to HBase: a bulk-load directory of what a table holds, and an exported snapshot.
//
// Example:
//    auto store = Store::create("root");
//    TableSchema schema;
//    schema.name = "t";
//    schema.families.push_back({.name = "f"});
//    auto table = store->create_table(schema);
//    Status put = table->put("row 1", "f", "q", "a value");
//    Result<BulkLoadCounts> loads = export_bulk_load(table->reader(), "to-load");   // to-load/f/FILE
//    Status taken = store->snapshot("t", "monday");
//    Status exported = export_snapshot("root", "monday", "exported");
//
// HBase loads the first with `hbase completebulkload DIR TABLE`. The second is laid out as by its
// ExportSnapshot: copied into HBase's root, it is there for `clone_snapshot`.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/table/bulk_load_writer.h"
#include "bloomery/table/split_keys.h"
#include "bloomery/table/table.h"

namespace bloomery {

// Writes DIR/FAMILY/FILE for a table of the same families that has no other rows: what a major compaction
// would leave of files, logs and memory, under each family's own attributes. No file crosses one of the
// splits, which are the cluster's region borders. A table that is written meanwhile is taken region by region
// and family by family; a snapshot is of one moment. Errors: kUnsupported for families with IS_MOB or
// NEW_VERSION_BEHAVIOR; kInvalidArgument for families that the directory already has; those of reading the
// table. After an error the directory is as it was.
Result<BulkLoadCounts> export_bulk_load(const Table& table, const std::string& directory,
                                        const SplitKeys& splits = {});

// Writes DIR/.hbase-snapshot/NAME and DIR/archive/data/..., with every file that the snapshot names, by hard
// links, or by copies where there can be none or if `copies`. The directory may have other snapshots. Errors:
// kNotFound; kInvalidArgument with EEXIST; kIo. After an error there is no such snapshot, but may be some of
// its files, which the next call uses.
Status export_snapshot(const std::string& root, const std::string& snapshot, const std::string& directory,
                       bool copies = false);

}  // namespace bloomery
