// A model of HBase's data model: ordered maps in memory, and what HBase's documents say of versions, times
// and deletes. It is written for comparison with the store, and shares no code with the readers of src/table.
//
// Of cells with equal keys the one that was written last counts. Nothing is ever forgotten, but for what
// forget() is told that a compaction dropped.
//
// Two rules of HBase that its book does not have:
//
//   - a request of named columns returns one version that is older than TTL after MIN_VERSIONS of them
//   - with KEEP_DELETED_CELLS a marker counts only if the request's times contain it
//
// Threads: one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bloomery/hfile/cell.h"
#include "bloomery/table/cell_request.h"
#include "bloomery/table/table.h"
#include "bloomery/table/table_schema.h"

namespace bloomery::store::sim {

struct ModelCell {
  std::string row = {};
  std::string family = {};
  std::string qualifier = {};
  std::int64_t timestamp = 0;
  CellType type = CellType::kPut;
  std::string value = {};
};

struct ModelKey {
  std::string qualifier = {};
  std::int64_t timestamp = 0;
  CellType type = CellType::kPut;

  bool operator<(const ModelKey& other) const;
};

struct ModelTable {
  using Cells = std::map<ModelKey, std::string>;  // of a row and a family

  // Returns what a compaction leaves of the cells of a row. `earliest_put` is the oldest time of a put in all
  // of the files; a major compaction is one of all files.
  static Cells compacted(const Cells& cells, const FamilySchema& family, bool is_major,
                         std::int64_t earliest_put, std::int64_t now);

  TableSchema schema = {};
  std::vector<std::string> splits = {};
  std::map<std::string, std::map<std::string, Cells>> rows = {};

  void write(const ModelCell& cell);
  void forget(const ModelCell& cell);
  // Returns the value of the key of this cell, or null.
  std::string* value_of(const ModelCell& cell);
  // Returns what a get or a scan returns, as text.
  std::string get(const GetRequest& request, std::int64_t now) const;
  std::string scan(const ScanRequest& request, std::int64_t now) const;
  // Returns the visible versions of a column.
  std::vector<ModelCell> versions_of(const std::string& row, const std::string& family,
                                     const std::string& qualifier, std::int32_t versions,
                                     std::int64_t now) const;
  // Returns the region of a row, by its number.
  std::size_t region_of(const std::string& row) const;
};

using Model = std::map<std::string, ModelTable>;

// A change that a crash keeps or loses as a whole.
struct Step {
  enum class Kind { kWrite, kCreate, kAlter, kTruncate, kSplit, kDrop };

  Kind kind = Kind::kWrite;
  std::string table = {};
  std::vector<ModelCell> cells = {};
  TableSchema schema = {};
  std::vector<std::string> splits = {};
};

void take_step(Model& model, const Step& step);

// Returns a cell as text, as the texts of get() and scan() have it.
std::string text_of(const Cell& cell);
std::string text_of_rows(const RowResult& row);
Result<std::string> scanned(const Table& table, const ScanRequest& request);
// Returns a table's schema and splits, and all that was written. Rows that begin with `left_out` are left
// out.
std::string text_of(const ModelTable& table, char left_out);
// Returns the attributes of a schema that change answers.
std::string text_of(const TableSchema& schema);

}  // namespace bloomery::store::sim
