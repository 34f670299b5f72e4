// Filters that decide by values and times of cells, or change values.
//
//   KeyOnly                     removes values, or replaces them by their lengths
//   Timestamps, Value           decide on each cell
//   ColumnValue                 decides on the cells of one column; no other cells are returned
//   SingleColumnValue(Exclude)  decides on the row by one column
//   DependentColumn             keeps cells whose timestamps also occur in one column
//
// Source: HBase 2.6, the classes of these names.
#pragma once

#include <array>
#include <set>

#include "bloomery/table/filter.h"
#include "table/filter/filter_form.h"
#include "table/filter/row_filters.h"

namespace bloomery::table {

class KeyOnlyState : public FilterState {
 public:
  using Settings = bool;  // true: the length replaces the value
  KeyOnlyState(const Settings& length_as_value, const FilterStart&) : length_as_value_(length_as_value) {}
  static void append_text(const Settings& length_as_value, std::string& out) {
    out += length_as_value ? "KeyOnlyFilter(true)" : "KeyOnlyFilter()";
  }

  void transform(Cell& cell) override;

 private:
  bool length_as_value_;
  std::array<char, 4> length_ = {};
};

class TimestampsState : public FilterState {
 public:
  using Settings = std::set<std::int64_t>;
  TimestampsState(const Settings& times, const FilterStart&) : times_(times) {}
  static void append_text(const Settings& times, std::string& out);

  FilterAnswer filter_cell(const Cell& cell) override {
    if (times_.contains(cell.key.timestamp)) {
      return FilterAnswer::kInclude;
    }
    // The following versions are older still.
    return times_.empty() || cell.key.timestamp < *times_.begin() ? FilterAnswer::kNextColumn
                                                                  : FilterAnswer::kSkip;
  }
  bool is_hinting() const override { return true; }

 private:
  const Settings& times_;
};

class ValueState : public FilterState {
 public:
  using Settings = Condition;
  ValueState(const Settings& condition, const FilterStart& start) : condition_(condition), start_(start) {}
  static void append_text(const Settings& condition, std::string& out) {
    condition.append_text("ValueFilter", out);
  }

  FilterAnswer filter_cell(const Cell& cell) override {
    return condition_.holds(cell.value, start_) ? FilterAnswer::kInclude : FilterAnswer::kSkip;
  }

 private:
  const Condition& condition_;
  FilterStart start_;
};

struct ColumnValueSettings {
  std::string family;
  std::string qualifier;
  Condition condition;
};

class ColumnValueState : public FilterState {
 public:
  using Settings = ColumnValueSettings;
  ColumnValueState(const Settings& settings, const FilterStart& start) : settings_(settings), start_(start) {}
  static void append_text(const Settings& settings, std::string& out);

  void reset() override { has_column_ = false; }
  FilterAnswer filter_cell(const Cell& cell) override;

 private:
  const Settings& settings_;
  FilterStart start_;
  bool has_column_ = false;
};

class ColumnValueForm : public LeafForm<ColumnValueState> {
 public:
  using LeafForm::LeafForm;
  bool is_essential(std::string_view family) const override { return family == settings().family; }
};

// Cells are included until the column is found. drops_row() drops the row if the column's value fails.
class SingleColumnValueState : public FilterState {
 public:
  using Settings = ColumnCondition;
  SingleColumnValueState(const Settings& settings, const FilterStart& start)
      : settings_(settings), start_(start) {}
  static void append_text(const Settings& settings, std::string& out);

  void reset() override { has_column_ = is_matched_ = false; }
  FilterAnswer filter_cell(const Cell& cell) override;
  bool drops_row() override { return has_column_ ? !is_matched_ : settings_.is_missing_filtered; }

 protected:
  bool is_column(const CellKey& key) const {
    return key.family == settings_.family && key.qualifier == settings_.qualifier;
  }
  static void append_condition(const char* filter, const Settings& settings, std::string& out);

 private:
  const Settings& settings_;
  FilterStart start_;
  bool has_column_ = false;
  bool is_matched_ = false;
};

class SingleColumnValueExcludeState : public SingleColumnValueState {
 public:
  using SingleColumnValueState::SingleColumnValueState;
  static void append_text(const Settings& settings, std::string& out);

  void filter_cells(std::vector<KeptCell>& cells) override {
    std::erase_if(cells, [&](const KeptCell& kept) { return is_column(kept.cell().key); });
  }
};

template <typename State>
class SingleColumnValueForm : public LeafForm<State> {
 public:
  using LeafForm<State>::LeafForm;
  bool has_row_filter() const override { return true; }
  bool is_essential(std::string_view family) const override {
    return !this->settings().is_missing_filtered || family == this->settings().family;
  }
};

struct DependentColumn {
  std::string family;
  std::string qualifier;
  bool drops_column = false;
  std::optional<CompareOperator> op = {};
  std::optional<Comparator> comparator = {};
};

class DependentColumnState : public FilterState {
 public:
  using Settings = DependentColumn;
  DependentColumnState(const Settings& settings, const FilterStart& start)
      : settings_(settings), start_(start) {}
  static void append_text(const Settings& settings, std::string& out);

  void reset() override { times_.clear(); }
  FilterAnswer filter_cell(const Cell& cell) override;
  void filter_cells(std::vector<KeptCell>& cells) override {
    std::erase_if(cells, [&](const KeptCell& kept) { return !times_.contains(kept.cell().key.timestamp); });
  }

 private:
  const Settings& settings_;
  FilterStart start_;
  std::set<std::int64_t> times_;
};

class DependentColumnForm : public LeafForm<DependentColumnState> {
 public:
  using LeafForm::LeafForm;
  bool has_row_filter() const override { return true; }
};

}  // namespace bloomery::table
