// The options for opening a table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "bloomery/base/file_memory.h"
#include "bloomery/hfile/block_cache.h"
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
  // The cache of blocks that all files share, also with other tables. Without one, blocks are read each time.
  std::shared_ptr<BlockCache> cache = {};
  // Keeps the chunks of Bloom filters in memory once they were read, beside the cache: about 1.2 bytes for each row of
  // a filter of rows. Without it they come through the cache.
  bool pins_filters = false;
  // Keeps the blocks of the files' indexes in memory once they were read, beside the cache: about 60 bytes for each
  // data block.
  bool pins_indexes = false;
  // The limit of what is kept of each open file.
  FileMemory memory = {};
};

}  // namespace bloomery
