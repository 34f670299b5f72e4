// Reads the first and the last key of an sstable from its Summary.db, from version ka on.
//
//   u32 interval | u32 entries | u64 size | u32 sampling | u32 entries at full sampling    big-endian
//   size bytes: the offset of each entry, then the entries (a key and its offset in Index.db)
//   u32 length, the first key | u32 length, the last key
//
// Nothing follows the last key. The file has no checksum. Source: docs/formats/cassandra.md.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery {

struct IndexSummary {
  std::string_view first_key;
  std::string_view last_key;
};

// The keys are views of `file`. Errors: kCorruption.
Result<IndexSummary> read_index_summary(std::span<const std::byte> file);

}  // namespace bloomery
