#include "table/read/new_versions.h"

#include <algorithm>
#include <limits>

#include "table/read/delete_markers.h"

namespace bloomery::table {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

}  // namespace

NewVersions::Segment::Segment() {
  visible[kNever];
}

// Divides the segment at the marker. Puts that were written before the marker count in both divisions, but
// the deleted version only in the first one (hides()).
void NewVersions::Segment::delete_version(const Cell& marker) {
  deleted[marker.key.timestamp].insert(marker.mvcc);
  const Mvccs& later = visible.lower_bound(marker.mvcc)->second;
  visible[marker.mvcc] = Mvccs(later.begin(), later.lower_bound(marker.mvcc));
}

void NewVersions::start_row() {
  of_family_.clear();
  of_family_[kNever];
  of_column_.clear();
  column_.clear();
  last_.reset();
}

// Begins a column if the cell is in another one. If the cell is a put that the previous put has overwritten,
// returns the mvcc of the previous one.
std::optional<std::int64_t> NewVersions::enter(const Cell& cell) {
  const bool is_of_column = cell.key.type == CellType::kDelete || cell.key.type == CellType::kDeleteColumn;
  const bool is_other_column = cell.key.qualifier != column_;
  if (is_other_column || (is_of_column && of_column_.empty())) {
    column_ = cell.key.qualifier;
    of_column_ = of_family_;
  } else if (last_ && !is_marker(last_->type) && last_->type == cell.key.type &&
             last_->timestamp == cell.key.timestamp) {
    return last_mvcc_;
  }
  last_ = CellKey{.timestamp = cell.key.timestamp, .type = cell.key.type};
  last_mvcc_ = cell.mvcc;
  return std::nullopt;
}

void NewVersions::add(const Cell& marker) {
  (void)enter(marker);
  const bool is_segment =
      marker.key.type == CellType::kDeleteFamily || marker.key.type == CellType::kDeleteColumn;
  Segments& segments = deletes_family(marker.key.type) ? of_family_ : of_column_;
  if (is_segment) {
    segments.insert_or_assign(marker.mvcc, Segment(marker.key.timestamp));
  } else {
    segments.lower_bound(marker.mvcc)->second.delete_version(marker);
  }
}

bool NewVersions::hides(const Cell& put) {
  const std::optional<std::int64_t> overwritten = enter(put);
  for (auto at = of_column_.lower_bound(put.mvcc); at != of_column_.end(); ++at) {
    Segment& segment = at->second;
    std::int64_t deleted = kNever;
    if (const auto markers = segment.deleted.find(put.key.timestamp); markers != segment.deleted.end()) {
      const auto marker = markers->second.lower_bound(put.mvcc);
      deleted = marker == markers->second.end() ? kNever : *marker;
    }
    const std::int64_t until = std::min(deleted, overwritten.value_or(kNever));
    for (auto seen = segment.visible.lower_bound(put.mvcc);
         seen != segment.visible.end() && seen->first <= until; ++seen) {
      if (seen->second.size() >= versions_) {
        return true;
      }
      seen->second.insert(put.mvcc);
    }
    if (deleted != kNever || put.key.timestamp <= segment.time) {
      return true;
    }
  }
  return overwritten.has_value();
}

}  // namespace bloomery::table
