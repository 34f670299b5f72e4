#include "table/table_source.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

namespace bloomery::table {

TableSource::TableSource(TableLayout layout, const TableOptions& options)
    : layout_(std::move(layout)), options_(options) {
  const auto& regions = layout_.regions;
  is_disjoint_ = std::ranges::adjacent_find(regions, [](const RegionLayout& a, const RegionLayout& b) {
                   return a.info.end.empty() || a.info.end > b.info.start;
                 }) == regions.end();
  for (const FamilySchema& family : layout_.schema.families) {
    families_[family.name].family = family.name;
  }
}

std::int64_t TableSource::now() const {
  using std::chrono::milliseconds;
  if (options_.now_ms) {
    return *options_.now_ms;
  }
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::vector<std::size_t> TableSource::regions_of(std::string_view row) const {
  std::vector<std::size_t> found;
  if (is_disjoint_) {
    const auto start = [](const RegionLayout& region) -> std::string_view { return region.info.start; };
    const auto behind = std::ranges::upper_bound(layout_.regions, row, {}, start);
    const auto at = static_cast<std::size_t>(behind - layout_.regions.begin());
    if (at > 0 && has_row(at - 1, row)) {
      found.push_back(at - 1);
    }
    return found;
  }
  for (std::size_t i = 0; i < layout_.regions.size(); ++i) {
    if (has_row(i, row)) {
      found.push_back(i);
    }
  }
  return found;
}

// Destructors call it, so it allocates nothing.
void TableSource::add(const FamilyReadCounters& counted) const {
  const std::lock_guard lock(mutex_);
  const auto found = families_.find(counted.family);
  if (found == families_.end()) {
    assert(false && "a family of the table");
    return;
  }
  FamilyReadCounters& sum = found->second;
  sum.column_gets += counted.column_gets;
  sum.row_gets += counted.row_gets;
  sum.absent_column_gets += counted.absent_column_gets;
  sum.absent_row_gets += counted.absent_row_gets;
}

TableReadCounters TableSource::counters() const {
  const std::lock_guard lock(mutex_);
  TableReadCounters counters;
  for (const auto& [name, family] : families_) {
    if (family.column_gets + family.row_gets > 0) {
      counters.families.push_back(family);
    }
  }
  return counters;
}

}  // namespace bloomery::table
