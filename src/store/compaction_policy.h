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
// It also says when a major compaction is due because time has passed: a period after the oldest file was
// made. The period is varied by a hash of that file's name, so that families do not become due together, and
// a restart changes nothing. A family with one file is left alone, unless cells of it have expired. One with
// as many files as a minor compaction may have waits for that.
//
// Source: HBase 2.6, ExploringCompactionPolicy, RatioBasedCompactionPolicy, SortedCompactionPolicy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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

// The ages of a file. Times are in milliseconds since 1970.
struct FileAge {
  std::string_view name = {};
  std::int64_t created_ms = 0;                 // 0 or less: not known
  std::optional<std::int64_t> oldest_ms = {};  // of its cells
};

// Returns the time after which all files of a family should become one, or nothing if there is none. `files`
// are from the oldest to the newest, `time_to_live_ms` is that of cells that expire, and `period_ms` is the
// family's; 0 is never.
std::optional<std::int64_t> next_major_compaction(std::span<const FileAge> files,
                                                  std::optional<std::int64_t> time_to_live_ms,
                                                  std::uint64_t period_ms, const StoreOptions& options);

}  // namespace bloomery::store
