// Decides which of a table's region directories live, and puts them in order.
//
// The parents of splits and merges stay on disk with all their files. hbase:meta knows that they are gone;
// without it, the time tells. A region that a split or merge made has a greater id than its parents:
//
//   1. Regions that say that they are offline and split are left out.
//   2. From the greatest id down, a region lives unless it overlaps one that lives.
//
// Two faults are possible then, which would lose or double data in silence:
//
//   hole       no living region has these rows
//   overlap    a region was left out in favour of one of the same rows, and no region between them explains
//              it as a split and a merge back; or the living ones have only a part of its rows
//
// Source: what HBase 2.6 leaves on disk after splits and merges. Not here: hbase:meta.
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

RegionOrder order_regions(const std::vector<RegionInfo>& regions);

// Returns the holes and overlaps of regions that all live. They are sorted by start key.
std::vector<std::string> faults_between(const std::vector<RegionInfo>& regions,
                                        const std::vector<std::size_t>& order);

}  // namespace bloomery::table
