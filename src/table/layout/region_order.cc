#include "table/layout/region_order.h"

#include <algorithm>
#include <numeric>

#include "base/byte_text.h"
#include "base/message.h"

namespace bloomery::table {
namespace {

// The end of a region, where an empty key comes after all others.
bool ends_before_or_at(const RegionInfo& region, const std::string& row) {
  return !region.end.empty() && region.end <= row;
}

bool overlap(const RegionInfo& a, const RegionInfo& b) {
  return !ends_before_or_at(a, b.start) && !ends_before_or_at(b, a.start);
}

bool has_all_rows_of(const RegionInfo& a, const RegionInfo& b) {
  return a.start <= b.start && (a.end.empty() || (!b.end.empty() && b.end <= a.end));
}

std::string range_text(const std::string& start, const std::string& end) {
  return message("rows from ", start.empty() ? "the first" : escape_bytes(start), " to ",
                 end.empty() ? "the last" : escape_bytes(end));
}

std::string region_text(const RegionInfo& region) {
  return message("region ", region.encoded_name(), " (", range_text(region.start, region.end), ")");
}

// Whether the living regions, in order, have all rows of the region.
bool covers(const std::vector<RegionInfo>& regions, const std::vector<std::size_t>& living,
            const RegionInfo& region) {
  std::string from = region.start;
  for (const std::size_t i : living) {
    const RegionInfo& each = regions[i];
    if (each.start <= from && !ends_before_or_at(each, from)) {
      if (each.end.empty() || (!region.end.empty() && region.end <= each.end)) {
        return true;
      }
      from = each.end;
    }
  }
  return false;
}

// Whether a region between the two ids lies within the rows of both: the daughters of a split that was merged
// back.
bool is_explained(const std::vector<RegionInfo>& regions, const RegionInfo& parent, const RegionInfo& child) {
  return std::ranges::any_of(regions, [&](const RegionInfo& each) {
    return each.id > parent.id && each.id < child.id && has_all_rows_of(parent, each) &&
           !(each.start == parent.start && each.end == parent.end);
  });
}

// Says what is wrong with leaving the region out, if something is.
void check_left_out(const std::vector<RegionInfo>& regions, const std::vector<std::size_t>& living,
                    const RegionInfo& region, std::vector<std::string>& faults) {
  for (const std::size_t i : living) {
    if (regions[i].start == region.start && regions[i].end == region.end &&
        !is_explained(regions, region, regions[i])) {
      faults.push_back(message("overlap: ", region_text(region), " and ", region_text(regions[i]),
                               " claim the same rows, and no split or merge explains it"));
    }
  }
  if (!covers(regions, living, region)) {
    faults.push_back(message("overlap: ", region_text(region),
                             " overlaps newer regions, which do not have all of its rows"));
  }
}

}  // namespace

std::vector<std::string> faults_between(const std::vector<RegionInfo>& regions,
                                        const std::vector<std::size_t>& order) {
  std::vector<std::string> faults;
  const RegionInfo* before = nullptr;
  for (const std::size_t i : order) {
    const RegionInfo& region = regions[i];
    if (before == nullptr ? !region.start.empty() : !before->end.empty() && before->end < region.start) {
      faults.push_back(message("hole: no region has the ",
                               range_text(before == nullptr ? std::string() : before->end, region.start)));
    } else if (before != nullptr && overlap(*before, region)) {
      faults.push_back(
          message("overlap: ", region_text(*before), " and ", region_text(region), " share rows"));
    }
    before = &region;
  }
  if (before == nullptr) {
    faults.emplace_back("hole: there is no region");
  } else if (!before->end.empty()) {
    faults.push_back(message("hole: no region has the ", range_text(before->end, {})));
  }
  return faults;
}

RegionOrder order_regions(const std::vector<RegionInfo>& regions) {
  std::vector<std::size_t> by_id(regions.size());
  std::iota(by_id.begin(), by_id.end(), std::size_t{0});
  std::ranges::stable_sort(by_id,
                           [&](std::size_t a, std::size_t b) { return regions[a].id > regions[b].id; });
  RegionOrder order;
  std::vector<std::size_t> left_out;
  for (const std::size_t i : by_id) {
    if (regions[i].is_parent()) {
      continue;
    }
    const bool is_free = std::ranges::none_of(
        order.living, [&](std::size_t living) { return overlap(regions[i], regions[living]); });
    (is_free ? order.living : left_out).push_back(i);
  }
  std::ranges::sort(order.living, {}, [&](std::size_t i) { return regions[i].start; });
  order.faults = faults_between(regions, order.living);
  for (const std::size_t i : left_out) {
    check_left_out(regions, order.living, regions[i], order.faults);
  }
  return order;
}

}  // namespace bloomery::table
