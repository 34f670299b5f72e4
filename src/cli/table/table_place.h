// The options that locate and open a table, for all verbs of `bloomery table`.
//
//   DIR                               a table's directory, a snapshot's, or a bulk-load directory
//   FILE...                           HFiles, as one region
//   --root DIR --table [NS:]NAME      a table in an HBase root directory
//   --root DIR --snapshot NAME        a snapshot in an HBase root directory
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/table/table.h"
#include "cli/file_memory_option.h"
#include "cli/option_parser.h"

namespace bloomery::cli {

// How faults of a table are handled: missing files, damaged references, holes and overlaps between regions. A
// verb that reads cells refuses the table. A verb that shows or checks the table lists them
// (Table::faults()).
enum class TableFaults { kRefused, kListed };

// The cache for blocks that later reads may need again.
struct KeptBlocks {
  std::shared_ptr<BlockCache> cache = {};
  bool pins = false;  // keeps filters and indexes in memory, outside the cache
};

class TablePlace {
 public:
  void add_to(CLI::App& verb);

  // Opens the table and prints its warnings. Errors: kInvalidArgument, and those of Table::open().
  Result<Table> open(std::string_view verb, TableFaults faults = TableFaults::kRefused,
                     const KeptBlocks& kept = {}) const;
  Result<FileMemory> memory() const { return memory_.parse(); }
  // Errors: kInvalidArgument unless the place is a snapshot below a root.
  struct SnapshotPlace {
    std::string root;
    std::string name;
  };
  Result<SnapshotPlace> snapshot() const;
  // Returns the PLACE if it is alone and the root of a store (src/store).
  std::optional<std::string> store_root() const;
  // Returns the place of a table of a root, with the same other options.
  TablePlace table_of(const std::string& root, const std::string& table) const;

 private:
  Status check() const;
  // Returns the schema that --family describes, or nothing without it.
  Result<std::optional<TableSchema>> given_schema() const;
  Result<Table> open_place(const TableOptions& options) const;

  std::vector<std::string> places_;
  std::string root_;
  std::string table_;
  std::string snapshot_;
  std::string now_;
  std::string log_memory_;
  std::string spool_directory_;
  std::vector<std::string> families_;
  bool accepts_region_faults_ = false;
  bool ignores_logs_ = false;
  FileMemoryOption memory_;
};

}  // namespace bloomery::cli
