// Decides which cells the delete markers of a row hide, by HBase's default rules. A marker hides puts of the
// same or an older timestamp, whenever they were written.
//
//   DeleteFamily           all columns, up to its timestamp; the first one is the newest
//   DeleteFamilyVersion    all columns, at its timestamp
//   DeleteColumn           its column, up to its timestamp
//   Delete                 its column, at its timestamp
//
// Cells arrive in their order within a row, so a marker precedes the puts that it hides. Only one marker of a
// column is kept: a more general one replaces a less general one, but not the reverse.
//
// Source: HBase 2.6, ScanDeleteTracker.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "bloomery/hfile/cell.h"

namespace bloomery::table {

enum class Hidden : std::uint8_t {
  kNot,
  kVersion,       // this cell; later cells are undecided
  kRestOfColumn,  // this cell and all that follow in its column
};

class DeleteMarkers {
 public:
  void start_row() {
    if (has_any_) {
      forget();
    }
  }
  // Precondition: the cell is a marker.
  void add(const CellKey& marker);
  bool has_any() const { return has_any_; }
  Hidden hides(const CellKey& put) { return has_any_ ? hidden_by_any(put) : Hidden::kNot; }

 private:
  void forget();
  Hidden hidden_by_any(const CellKey& put);

  bool has_any_ = false;  // the row has a marker
  std::optional<std::int64_t> family_time_;
  std::set<std::int64_t> family_versions_;
  bool has_column_ = false;  // the next three members hold a marker of a column
  std::string column_;
  CellType column_type_ = CellType::kDelete;
  std::int64_t column_time_ = 0;
};

// Returns true if the cell is a delete marker.
inline bool is_marker(CellType type) {
  return type >= CellType::kDelete && type <= CellType::kDeleteFamily;
}

}  // namespace bloomery::table
