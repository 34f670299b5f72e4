// MultiRowRangeFilter: rows in any of several ranges. The ranges are sorted, and merged if they meet.
//
//   a row in a range             its cells are included
//   before a range               a hint to the range's start
//   at an excluded first row     the row is skipped
//   after all ranges             the region is done
//
// Inside of SKIP the filter is not called for rows. HBase then fails at the first cell, and so does this one.
//
// Source: HBase 2.6, MultiRowRangeFilter. If ranges have the same start, the first one decides if it is
// included, as in HBase.
#pragma once

#include "bloomery/table/filter.h"
#include "table/filter/filter_form.h"

namespace bloomery::table {

// Returns the ranges in ascending order, none of which meet. Errors: kInvalidArgument.
Result<std::vector<RowRange>> joined_ranges(std::vector<RowRange> ranges);

class MultiRowRangeState : public FilterState {
 public:
  using Settings = std::vector<RowRange>;
  MultiRowRangeState(const Settings& ranges, const FilterStart& start) : ranges_(ranges), start_(start) {}
  static void append_text(const Settings& ranges, std::string& out);

  bool is_done() override { return is_done_; }
  bool drops_row_key(std::string_view row) override;
  FilterAnswer filter_cell(const Cell& cell) override;
  std::optional<FlatKey> hint(const CellKey& cell) override;
  bool is_hinting() const override { return true; }

 private:
  void decide_forward(std::string_view row);
  void decide_reversed(std::string_view row);

  const Settings& ranges_;
  FilterStart start_;
  bool is_done_ = false;
  std::optional<FilterAnswer> answer_;  // for all cells of the row
  const RowRange* next_ = nullptr;      // the range of a hint
};

}  // namespace bloomery::table
