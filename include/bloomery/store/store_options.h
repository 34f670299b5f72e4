// The options of a store, with HBase's defaults where HBase has one.
#pragma once

#include <cstdint>
#include <memory>

#include "bloomery/base/file_memory.h"
#include "bloomery/hfile/block_cache.h"

namespace bloomery {

struct StoreOptions {
  // A region whose memstores have so many bytes is flushed (hbase.hregion.memstore.flush.size), unless its
  // table has another MEMSTORE_FLUSHSIZE.
  std::uint64_t flush_bytes = std::uint64_t{128} << 20;
  // The most bytes of all memstores, also of those that are being written. Writers wait at it.
  std::uint64_t memory_bytes = std::uint64_t{512} << 20;
  // Edits that are in memory for so long are flushed (hbase.regionserver.optionalcacheflushinterval).
  std::uint64_t flush_after_ms = 3'600'000;
  // A log of so many bytes is closed, and another one begun.
  std::uint64_t log_bytes = std::uint64_t{128} << 20;
  // With more old logs than that, the regions with the oldest edits are flushed (hbase.regionserver.maxlogs).
  std::uint32_t most_logs = 32;
  // Files are compacted in the background: at least and at most so many at a time, and none that is larger
  // than the others together by this ratio (hbase.hstore.compaction.min, max and ratio).
  bool compacts = true;
  std::uint32_t compaction_least_files = 3;
  std::uint32_t compaction_most_files = 10;
  double compaction_ratio = 1.2;
  // All files of a family are compacted once those after the oldest have this share of its bytes. So a table
  // that is overwritten again and again needs at most three times the bytes of its rows. 0: never, as in
  // HBase.
  double compaction_excess = 0.5;
  // All files of a family become one after so long, unless its table or the family has another
  // hbase.hregion.majorcompaction; 0 is never. The period of a family is between 1 - jitter and 1 + jitter
  // times that (hbase.hregion.majorcompaction and .jitter).
  std::uint64_t major_compaction_ms = 604'800'000;
  double major_compaction_jitter = 0.5;
  // Writers to a region wait for compactions while a family has so many files
  // (hbase.hstore.blockingStoreFiles).
  std::uint32_t most_files = 16;
  // The filters of a family with BLOOMFILTER => AUTO have at most the bits that HBase's filters with this fpp
  // would have (io.storefile.bloom.error.rate). Between 0 and 1.
  double filter_rate = 0.01;
  // Whether close() writes all memory to files. Without it, the edits stay in the log for the next open(),
  // unless there are most_logs old ones. Regions with edits of kSkipWal are written all the same.
  bool flushes_at_close = true;
  // Syncs the mark of the log with every kFsyncWal, and not only within a second. This costs a second sync.
  bool syncs_mark = false;
  // The cache of blocks of all tables. Without one, blocks are read each time.
  std::shared_ptr<BlockCache> cache = {};
  // Keep Bloom chunks and index blocks in memory after they were read, outside the cache.
  bool pins_filters = true;
  bool pins_indexes = true;
  FileMemory memory = {};
};

}  // namespace bloomery
