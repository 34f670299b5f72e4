// A store of tables in HBase's data model, in one process, on HBase's bytes.
//
// Example:
//    auto store = Store::create("root");                     // or Store::open("root")
//    TableSchema schema;
//    schema.name = "t";
//    schema.families.push_back({.name = "f"});
//    auto table = store->create_table(schema);
//    Status put = table->put("row 1", "f", "q", "a value");  // on the disk when it returns
//    GetRequest get;
//    get.row = "row 1";
//    const Result<RowResult> row = table->reader().get(get);
//
// What is on the disk is a root directory of HBase: descriptors, regions, HFiles, the lists of the FILE store
// file tracker, write-ahead logs. Whatever reads HBase reads it. `.bloomery/` has what HBase has no place
// for.
//
// A write goes to the log, then to the memory of its region. When that has StoreOptions::flush_bytes, it is
// written to files. After a crash, open() reads the log. What a write promises is its Durability.
//
// After a failed write or sync the store is read-only until it is opened again: reads go on, and every write
// returns the error. Nothing is retried. Without memory in the middle of a write it is read-only, too.
//
// One process has a store open; others may read what is on the disk with Table::open_table(). Threads: all
// calls may come from any thread. Calls that return a Status or a Result do not throw: std::bad_alloc becomes
// kCapacity. Source: HBase 2.6.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/store/mutation.h"
#include "bloomery/store/snapshot.h"
#include "bloomery/store/store_counters.h"
#include "bloomery/store/store_options.h"
#include "bloomery/table/split_keys.h"
#include "bloomery/table/table.h"
#include "bloomery/table/table_schema.h"

namespace bloomery {

namespace store {
class StoreState;
struct StoreAccess;
struct StoreTableState;
}  // namespace store

// The limit of a cell's key and value (hbase.server.keyvalue.maxsize).
inline constexpr std::size_t kLargestCell = std::size_t{10} << 20;

// What check_and_mutate() compares a column's newest value with.
struct Check {
  // "kLess": the given value is less than the column's, as in HBase.
  enum class Is : std::uint8_t { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

  std::string_view row = {};
  std::string_view family = {};
  std::string_view qualifier = {};
  Is is = Is::kEqual;
  // Nothing: the column must be absent or empty, or with kNotEqual present.
  std::optional<std::string_view> value = {};
};

class StoreTable {
 public:
  // "namespace:table", or "table" in the namespace default.
  const std::string& name() const { return name_; }
  TableSchema schema() const;

  // Errors of all writes:
  //
  //   kInvalidArgument   an unknown family, an empty row or one above kLongestRow, a negative timestamp, a
  //                      cell above kLargestCell, a table that is READONLY
  //   kCapacity          memory is full, and WriteOptions::waits is false; or the machine has no more of it
  //   kNotFound          the table was dropped
  //   kIo                and others: the store is read-only
  //
  // If the error is of the disk, nobody knows whether the write survives; the next open() decides.
  Status put(std::string_view row, std::string_view family, std::string_view qualifier,
             std::string_view value, const WriteOptions& options = {});
  // Returns the kInvalidArgument that a write of this mutation would return, if any.
  Status check(const Mutation& mutation) const;
  // Applies the mutations of each region atomically, in their order. Mutations of several regions are
  // several writes.
  Status mutate(std::span<const Mutation> mutations, const WriteOptions& options = {});
  // Deletes all families of the row.
  Status delete_row(std::string_view row, const WriteOptions& options = {});

  // Adds to a column of 8 bytes, big-endian, or sets it. Returns the new number. Errors: also
  // kInvalidArgument for another length.
  Result<std::int64_t> increment(std::string_view row, std::string_view family, std::string_view qualifier,
                                 std::int64_t amount, const WriteOptions& options = {});
  // Appends to the column's value, or sets it. Returns the new value.
  Result<std::string> append(std::string_view row, std::string_view family, std::string_view qualifier,
                             std::string_view value, const WriteOptions& options = {});
  // Applies the mutations, all of the check's row, if the check holds. Returns whether it did.
  Result<bool> check_and_mutate(const Check& check, std::span<const Mutation> mutations,
                                const WriteOptions& options = {});

  // The table for gets, scans and RowReaders: each sees all writes that had returned when it began, and no
  // part of others. A scan sees one moment of all rows.
  const Table& reader() const { return *reader_; }

  // Writes the memory of all regions to files.
  Status flush();
  // Flushes, and makes one file of all files of each region and family. What no read can see leaves: deleted
  // and expired cells, versions beyond VERSIONS, and delete markers, unless KEEP_DELETED_CELLS keeps them.
  // Cells that a marker would hide, and that are written later, are seen then, as in HBase. Errors: also
  // kCorruption of a file, with its path. What has failed is as it was.
  Status major_compact();
  // Merges files as the background does, until no more is worth it, also if the store or the table compacts
  // nothing in the background. Memory is not flushed. Errors: those of major_compact().
  Status compact();

 private:
  friend class Store;
  friend struct store::StoreAccess;
  StoreTable(std::string name, std::shared_ptr<store::StoreState> state,
             std::shared_ptr<store::StoreTableState> table);

  Status mutate_rows(std::span<const Mutation> mutations, const WriteOptions& options);
  Result<bool> mutate_checked(const Check& check, std::span<const Mutation> mutations,
                              const WriteOptions& options);
  Status commit(std::span<const Cell> cells, const WriteOptions& options);

  std::string name_;
  std::shared_ptr<store::StoreState> state_;
  std::shared_ptr<store::StoreTableState> table_;
  std::shared_ptr<const Table> reader_;
};

class Store {
 public:
  // Makes a root, in an empty or a new directory, and opens it. Errors: kInvalidArgument with EEXIST if there
  // is something; kIo.
  static Result<Store> create(const std::string& root, const StoreOptions& options = {});
  // Errors: kInvalidArgument if no store made the root; kUnsupported for one of a later version; kCorruption
  // with the file and the offset; kIo, with EWOULDBLOCK if another process has it open.
  static Result<Store> open(const std::string& root, const StoreOptions& options = {});
  Store(Store&&) noexcept = default;
  Store& operator=(Store&&) noexcept;
  // Closes the store. close() reports errors.
  ~Store();

  // Makes a table with one region, or with one more than there are splits, and its namespace. Errors:
  // kInvalidArgument for a schema or splits that HBase refuses, and with EEXIST for a table that exists;
  // kUnsupported.
  Result<StoreTable> create_table(const TableSchema& schema, const SplitKeys& splits = {});
  // Errors: kNotFound, with the existing tables.
  Result<StoreTable> table(std::string_view name) const;
  std::vector<std::string> tables() const;
  // Replaces the schema: families may be added, changed and removed. Open StoreTables go on with it.
  Status alter_table(const TableSchema& schema);
  // Removes the table, or only its rows. Its open StoreTables then return kNotFound.
  Status drop_table(std::string_view name);
  Status truncate_table(std::string_view name);

  // Begins new regions at these rows. Files that lie in one of them are linked, others are written anew,
  // while writers go on; they wait while what they have written meanwhile follows. Open StoreTables of the
  // table then return kNotFound: open it again. Errors: kInvalidArgument for a row that is empty, too long,
  // or the first one of a region; kNotFound; kCorruption of a file; kIo. After an error nothing has changed.
  Status split_table(std::string_view name, std::span<const std::string> rows);

  // Gives the table at this moment a name: all regions at one point between two writes, as a scan sees it.
  // Writers go on. It is HBase's FLUSH snapshot in .hbase-snapshot, flushed, with a hard link in the archive
  // for each file. Later writes, compactions, truncate_table() and drop_table() change nothing of it. Errors:
  // kInvalidArgument for a name that HBase refuses, and with EEXIST for one that is taken; kNotFound; kIo.
  // After an error there is no such snapshot, or, if the last sync has failed, there may be one.
  Status snapshot(std::string_view table, std::string_view name);
  // Returns the snapshots, sorted by name. Errors: those of a damaged one.
  Result<std::vector<SnapshotInfo>> snapshots() const;
  // Removes a snapshot, and files that no table and no other snapshot needs. Errors: kNotFound; kCorruption
  // of another snapshot: then this one is removed, and the files are not.
  Status delete_snapshot(std::string_view name);
  // Makes a table of a table or a snapshot of any root, with its schema, regions and rows. A table of this
  // store is taken at one moment, as by snapshot(). Of another root the files count, and what only its logs
  // have; nobody should write there meanwhile. Files become hard links, or copies. Halves of files (after
  // splits), and what logs have, are written anew. All of it appears at once, or nothing. Errors:
  // kInvalidArgument with EEXIST for a table that exists; kUnsupported for attributes that a store's table
  // cannot have; kNotFound; kCorruption of the source; kIo.
  Result<StoreTable> clone(const CloneSource& source, std::string_view new_name);
  Result<StoreTable> clone_snapshot(std::string_view snapshot, std::string_view new_name) {
    return clone({.snapshot = std::string(snapshot)}, new_name);
  }

  StoreCounters counters() const;
  // The error that made the store read-only, if any.
  Status health() const;
  // The error of the last compaction, if it failed. The store goes on without it.
  Status compaction_health() const;
  // Writes all memory to files (StoreOptions::flushes_at_close), and closes the log. Call it once; after it,
  // every call fails.
  Status close();

 private:
  friend struct store::StoreAccess;
  explicit Store(std::shared_ptr<store::StoreState> state) : state_(std::move(state)) {}

  std::shared_ptr<store::StoreState> state_;
};

}  // namespace bloomery
