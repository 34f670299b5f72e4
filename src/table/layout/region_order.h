// Decides which of a table's region directories are live, and sorts them.
//
// The parents of splits and merges stay on disk with all their files. hbase:meta knows that they are
// obsolete; without it, ids decide. A region that a split or merge made has a greater id than its parents:
//
//   1. Regions that are marked offline and split are left out.
//   2. From the greatest id down, a region is live unless it overlaps a live one.
//
// Regions that a split or merge has not finished must be left out before (table_layout.cc).
//
// Two faults are possible then, which would silently lose or duplicate data:
//
//   hole       no live region has these rows
//   overlap    a region was left out in favour of another one with the same rows, and no region with an id
//              between theirs shows a split that was merged back; or live regions have only some of its rows
//
// Source: what HBase 2.6 leaves on disk after splits and merges. hbase:meta is not read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "table/layout/hbase_messages.h"

namespace bloomery::table {

struct RegionOrder {
  std::vector<std::size_t> living = {};  // indexes into the regions, ascending by start key
  std::vector<std::string> faults = {};  // holes and overlaps, as sentences
};

// Returns true if a row can belong to either region.
bool share_rows(const RegionInfo& a, const RegionInfo& b);

RegionOrder order_regions(const std::vector<RegionInfo>& regions);

// Returns the holes and overlaps of regions that are all live. They are sorted by start key.
std::vector<std::string> faults_between(const std::vector<RegionInfo>& regions,
                                        const std::vector<std::size_t>& order);

}  // namespace bloomery::table
