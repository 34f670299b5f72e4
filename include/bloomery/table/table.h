// Reads a table that HBase left on disk, and returns what HBase would return.
//
// Example:
//    auto table = Table::open("to-load");   // a table's directory, a snapshot, or a bulk-load directory
//    if (table) {
//      GetRequest get;
//      get.row = "row 1";
//      const Result<RowResult> row = table->get(get);
//      ScanRequest scan;
//      scan.set_prefix("row", false);
//      Result<TableScanner> scanner = table->scan(scan);
//      Result<bool> found = scanner ? scanner->next() : Result<bool>(scanner.error());
//      for (; found && *found; found = scanner->next()) {
//        for (const KeptCell& kept : scanner->result().cells()) {
//          std::cout << kept.cell().key.row << " " << kept.cell().value << "\n";
//        }
//      }
//    }
//
// open() reads the schema, the regions and the names of their files. It opens HFiles only for open_files(),
// and to check the edits of write-ahead logs; of a bulk-load directory's files it reads both ends. Each
// region's files are opened when it is read.
//
// Edits that a root's write-ahead logs have and its files lack are read by open(), and returned as HBase
// would after it came back. TableOptions::reads_logs leaves them out.
//
// For many gets a RowReader (row_reader.h) is faster. TableOptions::cache keeps blocks.
//
// Memory: one row of the result, or one batch of it. In addition:
//
//   - an open file for each file of the regions that were read last, up to 512 files
//   - a block for each file that is being read, and up to 64 KiB of read-ahead in a scan
//
// Threads: a Table never changes, so threads can share it. A scanner is for one thread.
//
// Source: HBase 2.6. Not supported, and refused by name: encrypted files, hbase:meta, snapshots of version 0,
// file trackers other than DEFAULT and FILE. Visibility labels are not evaluated.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/cell_request.h"
#include "bloomery/table/file_of_scan.h"
#include "bloomery/table/read_counters.h"
#include "bloomery/table/row_result.h"
#include "bloomery/table/skipped_rows.h"
#include "bloomery/table/table_options.h"
#include "bloomery/table/table_schema.h"

namespace bloomery {

namespace table {
class TableSource;
class TableScan;
struct TableAccess;
}  // namespace table

// The rows of a scan, one after the other.
class TableScanner {
 public:
  TableScanner(TableScanner&&) noexcept;
  TableScanner& operator=(TableScanner&&) noexcept;
  ~TableScanner();

  // Moves to the next result; returns false after the last one. After an error every call returns the error.
  // Errors: kCorruption, kIo, kNotFound, kUnsupported and kCapacity of a file, with its name and the offset;
  // errors of a comparator of the filter.
  Result<bool> next();
  // Returns the cells of a row, or of a batch of a row. Precondition: the last next() returned true.
  const RowResult& result() const;
  // Moves the result out.
  RowResult take_result();

  // Returns the rows that ScanRequest::skips_damage has skipped so far, in the order of the scan. Nothing
  // else is missing. If a row comes in several results, the first ones may have been returned.
  const std::vector<SkippedRows>& skipped() const;
  // Returns what happened to the files so far, if ScanRequest::notes_files wants it.
  const std::vector<FileOfScan>& files() const;

 private:
  friend class Table;
  explicit TableScanner(std::unique_ptr<table::TableScan> state);

  std::unique_ptr<table::TableScan> state_;
};

// The contents of an HBase root directory. The names are sorted; "TABLE" is in the namespace default, others
// are "NS:TABLE".
struct RootListing {
  std::vector<std::string> tables;
  std::vector<std::string> snapshots;
};

class Table {
 public:
  // Opens the table at a directory:
  //
  //   ROOT/data/NAMESPACE/TABLE     a table
  //   ROOT/.hbase-snapshot/NAME     a snapshot, where it was made or where it was exported to
  //   any other                     a bulk-load directory, DIR/FAMILY/FILE
  //
  // Errors of this and the other open functions:
  //
  //   kInvalidArgument   the path has no table, snapshot or bulk load; a malformed name
  //   kNotFound          the directory, or a store file that is listed and gone
  //   kCorruption        a damaged descriptor, manifest, reference or list; names that do not agree; holes
  //                      and overlaps between regions
  //   kUnsupported       the message names what is not supported
  //   kIo                something cannot be read
  static Result<Table> open(const std::string& directory, const TableOptions& options = {});
  // Lists an HBase root directory. It reads names only. Errors: kNotFound if `root` is not one; kIo.
  static Result<RootListing> list(const std::string& root);
  // Opens "NAMESPACE:NAME", or "NAME" in the namespace default. Errors: also kNotFound, with the existing
  // tables.
  static Result<Table> open_table(const std::string& root, std::string_view name,
                                  const TableOptions& options = {});
  static Result<Table> open_snapshot(const std::string& root, const std::string& name,
                                     const TableOptions& options = {});
  // Opens HFiles as one region. The family of a file is that of its cells.
  static Result<Table> open_files(const std::vector<std::string>& files, const TableOptions& options = {});

  const TableSchema& schema() const;
  // Returns the regions, ascending.
  std::vector<TableRegion> regions() const;
  // Returns the write-ahead logs that were read, for a table of a root directory.
  const std::vector<TableLog>& logs() const;
  // Returns what a user should know about the results, one sentence each: logs that are torn or left out,
  // accepted faults, files that were left out, an expired snapshot, a missing schema.
  const std::vector<std::string>& warnings() const;
  // Returns the faults that TableOptions::lists_faults has found. kNotFound means a file that is listed and
  // gone. kCorruption means damaged lists, references and links, and holes and overlaps between regions.
  const std::vector<Error>& faults() const;

  // Returns the cells of the row, none if it has none. Errors: kInvalidArgument for a request that HBase
  // refuses; those of TableScanner::next().
  Result<RowResult> get(const GetRequest& request) const;
  // Returns the results in the order of the requests. Rows of one region are read together.
  Result<std::vector<RowResult>> get(std::span<const GetRequest> requests) const;
  // Errors:
  //
  //   kInvalidArgument   HBase refuses it: columns in a raw scan, or a batch with a filter of complete rows
  //   kUnsupported       HBase fails at it: a reversed scan with a filter that defers families
  Result<TableScanner> scan(const ScanRequest& request) const;

  // Returns the counters of all gets and scans of this table and its copies so far. Open readers add theirs
  // every few thousand gets, and when they are destroyed.
  TableReadCounters read_counters() const;

 private:
  friend struct table::TableAccess;
  friend class RowReader;

  explicit Table(std::shared_ptr<const table::TableSource> files) : files_(std::move(files)) {}
  template <typename Layout>
  static Result<Table> make(Result<Layout> layout, const TableOptions& options);

  std::shared_ptr<const table::TableSource> files_;
};

}  // namespace bloomery
