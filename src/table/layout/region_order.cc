#include "table/layout/region_order.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>

#include "base/byte_text.h"
#include "base/message.h"

namespace bloomery::table {
namespace {

// Returns true if the region ends before or at the row. An empty end is after all rows.
bool ends_before_or_at(const RegionInfo& region, const std::string& row) {
  return !region.end.empty() && region.end <= row;
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

// The live regions in the order of their start keys. No two share rows, so a row belongs to one at most.
class LivingRegions {
 public:
  explicit LivingRegions(const std::vector<RegionInfo>& regions) : regions_(regions) {}

  // Returns true if the region shares rows with a live one.
  bool overlaps(const RegionInfo& region) const {
    const auto after = by_start_.lower_bound(region.start);
    return (after != by_start_.end() && share_rows(region, regions_[after->second])) ||
           (after != by_start_.begin() && share_rows(region, regions_[std::prev(after)->second]));
  }
  // Precondition: !overlaps(regions[region]).
  void add(std::size_t region) { by_start_.emplace(regions_[region].start, region); }

  // Returns the region with this start key, or nothing.
  std::optional<std::size_t> that_starts_at(std::string_view start) const {
    const auto found = by_start_.find(start);
    return found == by_start_.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::size_t> in_order() const {
    std::vector<std::size_t> order;
    order.reserve(by_start_.size());
    for (const auto& [start, region] : by_start_) {
      order.push_back(region);
    }
    return order;
  }

 private:
  const std::vector<RegionInfo>& regions_;
  std::map<std::string_view, std::size_t> by_start_;
};

// Checks the regions that were left out. There may be very many of them, so no step walks over all regions
// again.
class LeftOut {
 public:
  LeftOut(const std::vector<RegionInfo>& regions, const LivingRegions& living)
      : regions_(regions), living_(living), order_(living.in_order()), last_of_run_(order_.size()) {
    for (std::size_t i = order_.size(); i-- > 0;) {
      const bool meets = i + 1 < order_.size() && at(i).end == at(i + 1).start;
      last_of_run_[i] = meets ? last_of_run_[i + 1] : i;
    }
    by_start_.resize(regions.size());
    std::iota(by_start_.begin(), by_start_.end(), std::size_t{0});
    std::ranges::sort(by_start_, {}, [&](std::size_t i) -> std::string_view { return regions[i].start; });
  }

  // Reports a fault if leaving out the region is wrong.
  void check(const RegionInfo& region, std::vector<std::string>& faults) {
    const auto same = living_.that_starts_at(region.start);
    if (same && regions_[*same].end == region.end && !is_explained(region, *same)) {
      faults.push_back(message("overlap: ", region_text(region), " and ", region_text(regions_[*same]),
                               " claim the same rows, and no split or merge explains it"));
    }
    if (!is_covered(region)) {
      faults.push_back(message("overlap: ", region_text(region),
                               " overlaps newer regions, which do not have all of its rows"));
    }
  }

 private:
  const RegionInfo& at(std::size_t place) const { return regions_[order_[place]]; }

  // Returns true if live regions have all rows of the region: contiguous ones, from the one with its first
  // row on.
  bool is_covered(const RegionInfo& region) const {
    const auto start = [&](std::size_t i) -> std::string_view { return regions_[i].start; };
    const auto behind = std::ranges::upper_bound(order_, std::string_view(region.start), {}, start);
    if (behind == order_.begin()) {
      return false;
    }
    const auto first = static_cast<std::size_t>(behind - order_.begin()) - 1;
    const std::string& end = at(last_of_run_[first]).end;
    return !ends_before_or_at(at(first), region.start) &&
           (end.empty() || (!region.end.empty() && region.end <= end));
  }

  // Returns true if a region with an id between the two is within the rows of both: a daughter of a split
  // that was merged back.
  bool is_explained(const RegionInfo& parent, std::size_t child) {
    const auto [known, is_new] = newest_within_.try_emplace(child);
    if (is_new) {
      known->second = newest_within(regions_[child]);
    }
    return known->second && *known->second > parent.id;
  }

  // Returns the greatest id below the child's among regions that have some of its rows and not all of them.
  std::optional<std::uint64_t> newest_within(const RegionInfo& child) const {
    const auto start = [&](std::size_t i) -> std::string_view { return regions_[i].start; };
    std::optional<std::uint64_t> newest;
    for (auto i = std::ranges::lower_bound(by_start_, std::string_view(child.start), {}, start);
         i != by_start_.end() && (child.end.empty() || regions_[*i].start < child.end); ++i) {
      const RegionInfo& each = regions_[*i];
      const bool is_part =
          has_all_rows_of(child, each) && !(each.start == child.start && each.end == child.end);
      if (is_part && each.id < child.id && (!newest || *newest < each.id)) {
        newest = each.id;
      }
    }
    return newest;
  }

  const std::vector<RegionInfo>& regions_;
  const LivingRegions& living_;
  std::vector<std::size_t> order_;        // the live regions, ascending
  std::vector<std::size_t> last_of_run_;  // for each of order_, the end of its contiguous run
  std::vector<std::size_t> by_start_;     // all regions, by start key
  std::map<std::size_t, std::optional<std::uint64_t>> newest_within_;  // by live region
};

}  // namespace

bool share_rows(const RegionInfo& a, const RegionInfo& b) {
  return !ends_before_or_at(a, b.start) && !ends_before_or_at(b, a.start);
}

std::vector<std::string> faults_between(const std::vector<RegionInfo>& regions,
                                        const std::vector<std::size_t>& order) {
  std::vector<std::string> faults;
  const RegionInfo* before = nullptr;
  for (const std::size_t i : order) {
    const RegionInfo& region = regions[i];
    if (before == nullptr ? !region.start.empty() : !before->end.empty() && before->end < region.start) {
      faults.push_back(message("hole: no region has the ",
                               range_text(before == nullptr ? std::string() : before->end, region.start)));
    } else if (before != nullptr && share_rows(*before, region)) {
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
  LivingRegions living(regions);
  std::vector<std::size_t> left_out;
  for (const std::size_t i : by_id) {
    if (regions[i].is_parent()) {
      continue;
    }
    if (living.overlaps(regions[i])) {
      left_out.push_back(i);
    } else {
      living.add(i);
    }
  }
  RegionOrder order{.living = living.in_order()};
  order.faults = faults_between(regions, order.living);
  LeftOut checks(regions, living);
  for (const std::size_t i : left_out) {
    checks.check(regions[i], order.faults);
  }
  return order;
}

}  // namespace bloomery::table
