// The requests of a get and a scan: columns, times, versions, limits and a filter. Words and defaults are
// HBase's.
//
// Example:
//    CellRequest request;
//    request.columns = {{.family = "f", .qualifier = "q"}, {.family = "g", .qualifier = {}}};
//    request.versions = 3;
//    request.times = {.from = 1000, .to = 2000};
//
// Columns are applied in order, like calls of HBase's addFamily and addColumn. An entry without a qualifier
// requests all columns of its family, whatever the entries before it named. A later entry with a qualifier
// narrows the family to that column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/table/filter.h"

namespace bloomery {

inline constexpr std::int32_t kAllVersions = std::numeric_limits<std::int32_t>::max();

// A column of a family, or the entire family if there is no qualifier.
struct RequestedColumn {
  std::string family;
  std::optional<std::string> qualifier;
};

// Timestamps in milliseconds, from `from` on and before `to`. Without `to` there is no upper bound.
struct RequestedTimes {
  std::int64_t from = 0;
  std::optional<std::int64_t> to = {};

  bool contains(std::int64_t time) const { return time >= from && !is_after(time); }
  bool is_after(std::int64_t time) const { return to && time >= *to; }
  bool operator==(const RequestedTimes&) const = default;
};

struct CellRequest {
  std::vector<RequestedColumn> columns = {};  // none: all families
  std::int32_t versions = 1;                  // at least 1; kAllVersions
  RequestedTimes times = {};
  std::map<std::string, RequestedTimes> family_times = {};  // for one family, instead of `times`
  // The maximum number of cells returned per row and family, and the number skipped before them.
  std::optional<std::uint32_t> max_per_family = {};
  std::uint32_t offset_per_family = 0;
  std::optional<Filter> filter = {};
};

struct GetRequest : CellRequest {
  std::string row = {};
};

// The progress of a scan.
struct ScanPlace {
  std::uint64_t rows = 0;      // rows that were read, returned or not
  std::size_t regions = 0;     // regions that were begun
  std::size_t of_regions = 0;  // all regions that the scan covers
};

// A scan of rows in ascending or descending order. In a reversed scan `start` is the greatest row.
struct ScanRequest : CellRequest {
  std::string start = {};  // empty: from the first row on, or from the last one if reversed
  std::string stop = {};   // empty: to the end
  bool includes_start = true;
  bool includes_stop = false;
  bool is_reversed = false;
  bool is_raw = false;                      // returns delete markers and the cells that they hide
  std::optional<std::uint64_t> limit = {};  // rows
  std::optional<std::uint32_t> batch = {};  // cells of one result; a row may come in several results

  // Continues after unreadable blocks. TableScanner::skipped() lists the rows that are then missing. Without
  // it the scan ends at damage with an error.
  bool skips_damage = false;
  // Makes TableScanner::files() list the files of the regions that were begun.
  bool notes_files = false;
  // Called before each row that is read. If it returns an error, the scan ends with that error.
  std::function<Status(const ScanPlace&)> watch = {};

  // Limits the scan to rows with this prefix, like HBase's setStartStopRowForPrefixScan, in descending order
  // if it is reversed. Sets start, stop and is_reversed.
  void set_prefix(std::string prefix, bool reversed);
};

}  // namespace bloomery
