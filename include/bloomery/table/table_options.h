// The options for opening a table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bloomery/base/file_memory.h"
#include "bloomery/hfile/block_cache.h"
#include "bloomery/table/table_schema.h"

namespace bloomery {

class FileSystem;

struct TableOptions {
  // The time from which TTL counts, in milliseconds since 1970. By default each get and scan reads the clock.
  std::optional<std::int64_t> now_ms = {};
  // Replaces the table's own descriptor. Files without a descriptor have HBase's defaults.
  std::optional<TableSchema> schema = {};
  // Reports holes and overlaps between regions as warnings. By default they are an error.
  bool accepts_region_faults = false;
  // For a check of the table: continues after missing and damaged references, links and lists of files, and
  // after holes and overlaps. Table::faults() lists them all. Such a table can be listed but not read: get
  // and scan return its first fault.
  bool lists_faults = false;
  // Reads the edits of a root's write-ahead logs that the files do not have yet. Without it a warning says
  // that logs were left out.
  bool reads_logs = true;
  // The limit for these edits in memory, also while they are sorted. More of them are sorted on disk, in a
  // file without a name in this directory; "" means the system's folder for temporary files (TMPDIR).
  std::uint64_t log_memory_bytes = std::uint64_t{256} << 20;
  std::string log_spool_directory = {};
  // The cache of blocks that all files share, also with other tables. Without one, blocks are read each time.
  std::shared_ptr<BlockCache> cache = {};
  // Keeps Bloom chunks in memory after they were read, outside the cache: about 1.2 bytes for each row of a
  // filter of rows. Without it they go through the cache.
  bool pins_filters = false;
  // Keeps index blocks in memory after they were read, outside the cache: about 60 bytes for each data block.
  bool pins_indexes = false;
  // The limit for what is kept of each open file.
  FileMemory memory = {};
  // The file system of the table. Null: the machine's own; for tests and for a store.
  FileSystem* files = nullptr;
};

}  // namespace bloomery
