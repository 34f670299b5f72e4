// The options that say where a table is and how it is opened, the same for all verbs of tables.
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

// Says what faults of a table do: missing files, damaged references, holes and overlaps between regions. They stop a verb
// that reads cells. One that shows or checks the table gets them from Table::faults().
enum class TableFaults { kRefused, kListed };

// The memory in which blocks that were read are kept for the next reads.
struct KeptBlocks {
  std::shared_ptr<BlockCache> cache = {};
  bool pins = false;  // filters and indexes stay in memory beside it
};

class TablePlace {
 public:
  void add_to(CLI::App& verb);

  // Opens the table, and prints what its warnings say. Errors: kInvalidArgument, and those of Table::open().
  Result<Table> open(std::string_view verb, TableFaults faults = TableFaults::kRefused,
                     const KeptBlocks& kept = {}) const;
  Result<FileMemory> memory() const { return memory_.parse(); }

 private:
  Status check() const;
  // Returns the schema of --family; nothing if there is none.
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
