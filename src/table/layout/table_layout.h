// Finds the parts of a table: its schema, its regions in order, and the files of each family in each region.
//
// There are four kinds of places that have a table:
//
//   a table's directory         ROOT/data/NS/TABLE with .tabledesc and a directory for each region
//   a snapshot                  ROOT/.hbase-snapshot/NAME with .snapshotinfo and data.manifest; also exported
//   a bulk-load directory       DIR/FAMILY/FILE
//   a list of files             any HFiles
//
// The last two have no regions: they are one region of all rows.
//
// Every file that is listed here exists at the time of listing. A missing one is an error that names it, or with
// TableOptions::lists_faults a fault beside all others.
// Source: HBase 2.6, FSTableDescriptors, HRegionFileSystem, SnapshotManifest, StoreFileTracker.
// Not here: what is in the files (read/store_file.h), logs (log_check.h),
// snapshots of version 0.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/table_options.h"
#include "table/layout/hbase_messages.h"
#include "table/layout/root_directory.h"
#include "table/layout/store_file_path.h"

namespace bloomery::table {

struct RegionLayout {
  RegionInfo info = {};
  std::string name = {};  // encoded; empty if the place has no regions
  std::map<std::string, std::vector<StoreFilePath>, std::less<>> families = {};
};

struct TableLayout {
  TableSchema schema = {};
  TableName name = {};
  std::vector<RegionLayout> regions = {};  // ascending by start key
  std::vector<std::string> warnings = {};
  std::vector<Error> faults = {};  // with TableOptions::lists_faults; no file of a fault is listed
  std::optional<RootDirectory> root = {};
  bool is_live = false;  // the table itself: logs may have edits that are not in its files
};

Result<TableLayout> layout_of_table(const RootDirectory& root, const TableName& table,
                                    const TableOptions& options);
Result<TableLayout> layout_of_snapshot(const RootDirectory& root, const std::string& snapshot,
                                       const TableOptions& options);
Result<TableLayout> layout_of_files(const std::vector<std::string>& files, const TableOptions& options);
// Recognises a table's directory, a snapshot's directory, or a bulk-load directory.
Result<TableLayout> layout_of_directory(const std::string& path, const TableOptions& options);

}  // namespace bloomery::table
