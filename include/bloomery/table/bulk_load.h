// Writes cells that arrive in scan order to HFiles that HBase can load: DIR/FAMILY/FILE. They appear
// together, in commit(), or not at all.
//
// Example:
//    const BulkLoadPlan plan;
//    auto directory = BulkLoadDirectory::create("to-load", FamilyFiles::kAdd);
//    BulkLoadWriter writer(*directory, plan);
//    const CellKey key{"row 1", "f", "q", 1, CellType::kPut};   // row, family, qualifier, timestamp, type
//    Status appended = writer.append({.key = key, .value = "a value"});   // any number of times
//    Status finished = writer.finish();
//    Status committed = directory->commit();
//
// Before commit() no file is where HBase would look. Several writers, each on its own thread, may share a
// directory, for instance one for each region; SplitKeys maps rows to regions.
#pragma once

#include "bloomery/table/bulk_load_directory.h"
#include "bloomery/table/bulk_load_writer.h"
#include "bloomery/table/split_keys.h"
