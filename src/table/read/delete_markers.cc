#include "table/read/delete_markers.h"

namespace bloomery::table {

void DeleteMarkers::forget() {
  has_any_ = false;
  family_time_.reset();
  family_versions_.clear();
  has_column_ = false;
}

void DeleteMarkers::add(const CellKey& marker) {
  has_any_ = true;
  if (family_time_ && marker.timestamp <= *family_time_) {
    return;
  }
  if (marker.type == CellType::kDeleteFamily) {
    family_time_ = marker.timestamp;
  } else if (marker.type == CellType::kDeleteFamilyVersion) {
    family_versions_.insert(marker.timestamp);
  } else if (!has_column_ || marker.type >= column_type_ || marker.qualifier != column_) {
    has_column_ = true;
    column_ = marker.qualifier;
    column_type_ = marker.type;
    column_time_ = marker.timestamp;
  }
}

Hidden DeleteMarkers::hidden_by_any(const CellKey& put) {
  if (family_time_ && put.timestamp <= *family_time_) {
    return Hidden::kRestOfColumn;
  }
  if (family_versions_.contains(put.timestamp)) {
    return Hidden::kVersion;
  }
  if (has_column_ && put.qualifier == column_) {
    if (column_type_ == CellType::kDeleteColumn) {
      return Hidden::kRestOfColumn;
    }
    if (put.timestamp == column_time_) {
      return Hidden::kVersion;
    }
  }
  has_column_ = false;
  return Hidden::kNot;
}

}  // namespace bloomery::table
