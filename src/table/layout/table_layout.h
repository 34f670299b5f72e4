// Finds the schema of a table, its regions in order, and the files of each family in each region.
//
// A table is read from one of four sources:
//
//   a table's directory         ROOT/data/NS/TABLE with .tabledesc and a directory for each region
//   a snapshot                  ROOT/.hbase-snapshot/NAME with .snapshotinfo and data.manifest; also exported
//   a bulk-load directory       DIR/FAMILY/FILE
//   a list of files             any HFiles
//
// The last two have no regions: they are one region of all rows.
//
// Every listed file exists at the time of listing. A missing one is an error that names it, or with
// TableOptions::lists_faults one of the faults. Source: HBase 2.6, FSTableDescriptors, HRegionFileSystem,
// SnapshotManifest, StoreFileTracker. read/store_file.h reads files, logs/log_edits.h reads logs. Snapshots
// of version 0 are not supported.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/file_of_scan.h"
#include "bloomery/table/table_options.h"
#include "table/layout/hbase_messages.h"
#include "table/layout/root_directory.h"
#include "table/layout/store_file_path.h"
#include "table/logs/logged_file.h"

namespace bloomery::table {

struct RegionLayout {
  RegionInfo info = {};
  std::string name = {};  // the encoded name; empty if there are no regions
  std::map<std::string, std::vector<StoreFilePath>, std::less<>> families = {};
  std::map<std::string, std::vector<LoggedFile>, std::less<>> logged = {};  // edits that only logs have
};

struct TableLayout {
  TableSchema schema = {};
  TableName name = {};
  std::vector<RegionLayout> regions = {};   // ascending by start key
  std::vector<std::string> log_paths = {};  // of a live table, listed before the files (logs/root_logs.h)
  std::vector<TableLog> logs = {};          // those that were read
  std::vector<std::string> warnings = {};
  std::vector<Error> faults = {};  // with TableOptions::lists_faults; faulty files are not listed
  std::optional<RootDirectory> root = {};
};

Result<TableLayout> layout_of_table(const RootDirectory& root, const TableName& table,
                                    const TableOptions& options);
Result<TableLayout> layout_of_snapshot(const RootDirectory& root, const std::string& snapshot,
                                       const TableOptions& options);
Result<TableLayout> layout_of_files(const std::vector<std::string>& files, const TableOptions& options);
// Recognises a table's directory, a snapshot's directory, or a bulk-load directory.
Result<TableLayout> layout_of_directory(const std::string& path, const TableOptions& options);

}  // namespace bloomery::table
