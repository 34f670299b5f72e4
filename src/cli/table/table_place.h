// The options that locate and open a table, the same for all verbs of tables.
//
//   DIR                               a table's directory, a snapshot's, or a bulk-load directory
//   FILE...                           HFiles, as one region
//   --root DIR --table [NS:]NAME      a table below an HBase root directory
//   --root DIR --snapshot NAME        a snapshot below it
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

// Decides how faults of a table are handled: missing files, damaged references, holes and overlaps between
// regions. They stop a verb that reads cells. A verb that shows or checks the table gets them from
// Table::faults().
enum class TableFaults { kRefused, kListed };

// The block cache: memory for blocks, kept for later reads.
struct KeptBlocks {
  std::shared_ptr<BlockCache> cache = {};
  bool pins = false;  // filters and indexes stay in memory outside the cache
};

class TablePlace {
 public:
  void add_to(CLI::App& verb);

  // Opens the table, and prints its warnings. Errors: kInvalidArgument, and those of Table::open().
  Result<Table> open(std::string_view verb, TableFaults faults = TableFaults::kRefused,
                     const KeptBlocks& kept = {}) const;
  Result<FileMemory> memory() const { return memory_.parse(); }

 private:
  Status check() const;
  // Returns the schema of --family; empty if there is none.
  Result<std::optional<TableSchema>> given_schema() const;
  Result<Table> open_place(const TableOptions& options) const;

  std::vector<std::string> places_;
  std::string root_;
  std::string table_;
  std::string snapshot_;
  std::string now_;
  std::vector<std::string> families_;
  bool accepts_region_faults_ = false;
  bool ignores_logs_ = false;
  FileMemoryOption memory_;
};

}  // namespace bloomery::cli
