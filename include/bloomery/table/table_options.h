// The options for opening a table.
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/base/file_memory.h"
#include "bloomery/table/table_schema.h"

namespace bloomery {

struct TableOptions {
  // The time from which TTL counts, in milliseconds since 1970. By default the clock is asked at each get and
  // scan.
  std::optional<std::int64_t> now_ms = {};
  // Takes the place of the table's own descriptor. Files without a descriptor have HBase's defaults.
  std::optional<TableSchema> schema = {};
  // Holes and overlaps between regions become warnings. By default they are an error.
  bool accepts_region_faults = false;
  // For a check of the table: missing and damaged references, links and lists of files, holes and overlaps stop nothing.
  // Table::faults() has them all. Such a table can be listed but not read: get and scan answer its first fault.
  bool lists_faults = false;
  // Looks for edits in write-ahead logs that the files do not have yet, and warns of them.
  bool looks_into_logs = true;
  // The limit of what is kept of each open file.
  FileMemory memory = {};
};

}  // namespace bloomery
