// The lists of a family's files that HBase's FILE tracker keeps in FAMILY/.filelist.
//
//   f1.N, f2.N      a list: i32 length | message | i32 CRC-32 of the message, big-endian
//   f1, f2          a list of older releases, with N = 0
//
// N increases with each opening of the region; one opening writes to its two files in turn. Of the greatest N
// that has a complete file, the file with the later timestamp wins. A file that is shorter than its length
// says is being written and does not count. Other names do not count, either.
//
// Source: HBase 2.6, StoreFileListFile. file_list.h writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "table/layout/hbase_messages.h"

namespace bloomery::table {

inline constexpr std::uint64_t kMostListBytes = std::uint64_t{16} << 20;  // of a message

// Parses a tracker's list. Returns nothing for a truncated file, such as one that is being written. Errors:
// kCorruption; kUnsupported for a later version.
Result<std::optional<TrackedFiles>> parse_tracker_list(std::string_view bytes);

struct TrackerLists {
  TrackedFiles newest = {};
  std::string name = {};                 // of the newest list's file; empty if there is no list
  std::uint64_t greatest_number = 0;     // of all lists, also truncated ones
  std::vector<std::string> others = {};  // the names of other lists
  std::string truncated = {};            // the path of one that would be newer if it were complete
};

// Finds the newest list in `folder`. Without a folder or a list the family has no files. Errors: kCorruption,
// also for a third list of one number; kUnsupported; kIo.
Result<TrackerLists> find_tracker_lists(FileSystem& files, const std::string& folder);

}  // namespace bloomery::table
