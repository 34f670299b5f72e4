// Chooses the files of a minor compaction, as HBase's exploring policy does: of all runs of neighbouring
// files, the one that removes most files, then the one with the fewest bytes.
//
// A run counts if no file of it is larger than `ratio` times the others together, so that a cell is rewritten
// about log(n) times, or if all of it has few bytes. If writers wait because of too many files, any run
// counts, and the one that removes most files for its bytes is taken.
//
// HBase alone has no bound of space. What was overwritten leaves only if its file and the newer
// one are compacted together, and no balanced run has a large oldest file. So all files are compacted once
// those after the oldest have a share of its bytes (StoreOptions::compaction_excess).
//
// Source: HBase 2.6, ExploringCompactionPolicy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/store/store_options.h"

namespace bloomery::store {

// Files from `begin` on, without `end`.
struct FileRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool empty() const { return begin == end; }
  bool operator==(const FileRange&) const = default;
};

// `sizes` are the bytes of a family's files, from the oldest to the newest. Returns an empty range if no
// compaction is worth it.
FileRange choose_minor_compaction(std::span<const std::uint64_t> sizes, const StoreOptions& options);

}  // namespace bloomery::store
