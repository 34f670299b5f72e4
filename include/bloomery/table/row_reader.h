// Reads rows of a table by their keys, many with one request.
//
// Example:
//    TableOptions options;
//    options.cache = BlockCache::make(std::uint64_t{1} << 30);
//    auto table = Table::open("to-load", options);
//    auto reader = table ? RowReader::make(*table, {}) : Result<RowReader>(table.error());
//    if (reader) {
//      RowResult result;
//      const Result<bool> found = reader->get("row 1", result);
//      const std::vector<std::string_view> rows = {"row 2", "row 3"};
//      std::vector<RowResult> results;
//      const Status got = reader->get(rows, results);
//    }
//
// It returns the same results as Table::get(). It is faster, since it reuses the parsed request and a
// position in each file of the region.
//
// A file is read only if it may change the result. Its time range, its key range and its Bloom filter decide.
// In a get of named columns it is also skipped if its newest cell is older than the versions that newer files
// have already returned.
//
// Batches are cheaper. Each row is hashed once for all files. The filters' bits are prefetched for many rows
// and files together. A block with neighbouring rows is read once.
//
// Threads: a reader is for one thread. Readers of the same table share its open files and its cache.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/cell_request.h"
#include "bloomery/table/row_result.h"
#include "bloomery/table/table.h"

namespace bloomery {

namespace table {
class RowGets;
}  // namespace table

class RowReader {
 public:
  // Errors: kInvalidArgument for a request that HBase refuses.
  static Result<RowReader> make(const Table& table, const CellRequest& request);
  RowReader(RowReader&&) noexcept;
  RowReader& operator=(RowReader&&) noexcept;
  ~RowReader();

  // Reads a row into `result`. Returns false, with an empty result, if it has no cells. Errors of both
  // get()s: kInvalidArgument for an empty row or one above kLongestRow; those of TableScanner::next().
  Result<bool> get(std::string_view row, RowResult& result);
  // Reads rows, in any order, into as many results. After an error no result is valid.
  Status get(std::span<const std::string_view> rows, std::vector<RowResult>& results);

  // Makes later gets list what happened to each file; see files(). Gets are then slower.
  void note_files();
  // Returns what happened to the files in the last get(), row by row. Precondition: note_files() was called.
  const std::vector<FileOfScan>& files() const;

 private:
  explicit RowReader(std::unique_ptr<table::RowGets> gets);

  std::unique_ptr<table::RowGets> gets_;
};

}  // namespace bloomery
