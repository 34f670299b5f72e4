// FuzzyRowFilter: rows that match one of several keys in the bytes that its mask fixes.
//
// A row matches a key if all fixed bytes that both have are equal. So longer rows match, and shorter ones
// too. After a row that does not match, the hint is the next row that could: the nearest of the next possible
// rows of each key.
//
// Source: HBase 2.6, FuzzyRowFilter. For a row that is shorter than the key HBase reads past the end of the
// row; here a missing byte is less than all others.
#pragma once

#include "bloomery/table/filter.h"
#include "table/filter/filter_form.h"

namespace bloomery::table {

// Errors: kInvalidArgument.
Status check_fuzzy_keys(const std::vector<FuzzyKey>& keys);

// Returns the next row after `row`, in the direction of the scan, that can match the key. It is as short as
// possible. Reversed, it is the first row after those that can match. Returns nothing if no row can match.
std::optional<std::string> next_fuzzy_row(const FuzzyKey& key, std::string_view row, bool is_reversed);

class FuzzyRowState : public FilterState {
 public:
  using Settings = std::vector<FuzzyKey>;
  FuzzyRowState(const Settings& keys, const FilterStart& start)
      : keys_(keys), is_reversed_(start.is_reversed) {}
  static void append_text(const Settings& keys, std::string& out);

  void reset() override { is_dropped_ = false; }
  bool is_done() override { return is_done_; }
  FilterAnswer filter_cell(const Cell& cell) override;
  std::optional<FlatKey> hint(const CellKey& cell) override;
  bool drops_row() override { return is_dropped_; }
  bool is_hinting() const override { return true; }

 private:
  const Settings& keys_;
  bool is_reversed_;
  bool is_done_ = false;
  bool is_dropped_ = false;
  bool has_begun_ = false;
  std::vector<std::optional<std::string>> next_rows_;  // of each key
};

}  // namespace bloomery::table
