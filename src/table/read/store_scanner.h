// Reads the rows of one family in one region: the merge of its files, and the matcher that decides on each
// cell and on the next position.
//
// A cell with an empty qualifier sorts first, so the column after it starts at the next cell. Markers of the
// family are among the versions of the column without a name, in the order of their timestamps. None may be
// skipped.
//
// Source: HBase 2.6, StoreScanner and ReversedStoreScanner. In HBase some steps after the column without a
// name skip such markers, depending on blocks and earlier seeks; here no step does.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/table/row_result.h"
#include "table/filter/filter_form.h"
#include "table/read/cell_matcher.h"
#include "table/read/mob_values.h"
#include "table/read/store_merge.h"

namespace bloomery::table {

// State that the families of a region share.
struct RegionReading {
  FilterState* filter = nullptr;                  // or null
  const std::optional<Error>* failure = nullptr;  // the first error of the filter's comparators
  MobValues* mob = nullptr;
  DamageWatch* watch = nullptr;  // null: damage ends the scan
  bool is_reversed = false;
};

class StoreScanner {
 public:
  // All arguments must outlive the scanner. `files` are those that are read, from the oldest on.
  StoreScanner(const FamilyQuestion& question, std::shared_ptr<const OpenStore> store,
               const std::vector<StoreFilePointer>& files, const RegionReading& reading);

  Status start(const RowBound& bound) {
    is_in_row_ = false;
    merge_.set_read_point(question_.read_point);
    return merge_.start(bound);
  }
  // Plans a read of one row, with a use for each file. start_planned() starts at the planned row, if there is
  // one. Both arguments must live until then.
  void plan_row(const RowBound& row, std::span<const FileUse> uses);
  bool is_planned() const { return planned_ != nullptr; }
  Status start_planned();
  const StoreMerge& merge() const { return merge_; }
  bool is_at_end() const { return is_planned() || has_ended_ || merge_.is_at_end(); }
  // Precondition: !is_at_end().
  std::string_view row() const { return merge_.cell().key.row; }
  // Returns true if the row is the first one that damage may have lost. Precondition: !is_at_end().
  bool is_at_gap() const { return merge_.is_at_gap(); }
  // Returns the error of the gap, and stores the gap in the watch. Precondition: is_at_gap().
  Error reach_gap() { return merge_.next().error(); }
  bool is_at_row(std::string_view row) const { return !is_at_end() && this->row() == row; }
  // Returns true if the row that read_row() has begun continues.
  bool is_in_row() const { return is_in_row_; }

  // Reads more of the current row, until it ends or `result` has `most` cells. Without a result only the
  // filter sees the cells.
  Status read_row(RowResult* result, std::size_t most);
  // Skips the current row without reading its cells.
  Status next_row();
  // Moves to the row or the next one after it; only forward.
  Status seek_row(const std::string& row);

 private:
  bool is_at_begun_row() const { return !is_at_end() && merge_.row_number() == row_number_; }
  Status include(const Cell& cell, RowResult* result);
  Status append(const Cell& cell, RowResult* result);
  Status append_large(const Cell& cell, RowResult& result);
  Status take_step(Match match);
  Status next_column();
  Status follow_hint();

  const FamilyQuestion& question_;
  std::shared_ptr<const OpenStore> store_;
  RegionReading reading_;
  CellMatcher matcher_;
  StoreMerge merge_;
  const RowBound* planned_ = nullptr;
  std::span<const FileUse> planned_uses_;
  bool has_ended_ = false;
  bool is_one_row_ = false;  // the scan ends after the row
  bool is_in_row_ = false;
  std::uint64_t row_number_ = 0;  // the row number of the begun row in merge_
  std::uint64_t included_ = 0;    // included cells of the row
};

}  // namespace bloomery::table
