// Filters that decide by the row: PrefixFilter, InclusiveStopFilter, PageFilter and RowFilter.
//
// Source: HBase 2.6, the classes of these names. A row that is shorter than the prefix is compared as it is;
// HBase reads past the end of the row.
#pragma once

#include "table/filter/comparator_form.h"
#include "table/filter/filter_form.h"

namespace bloomery::table {

class PrefixState : public FilterState {
 public:
  using Settings = std::string;
  PrefixState(const Settings& prefix, const FilterStart& start)
      : prefix_(prefix), is_reversed_(start.is_reversed) {}
  static void append_text(const Settings& prefix, std::string& out);

  void reset() override { is_other_row_ = true; }
  bool is_done() override { return has_passed_; }
  bool drops_row_key(std::string_view row) override;
  FilterAnswer filter_cell(const Cell& cell) override;
  std::optional<FlatKey> hint(const CellKey& cell) override;
  bool drops_row() override { return is_other_row_; }
  bool is_hinting() const override { return true; }

 private:
  const std::string& prefix_;
  bool is_reversed_;
  bool has_passed_ = false;
  bool is_other_row_ = true;
  bool is_ahead_ = false;  // rows with the prefix are still to come
};

class InclusiveStopState : public FilterState {
 public:
  using Settings = std::string;
  InclusiveStopState(const Settings& row, const FilterStart& start)
      : row_(row), is_reversed_(start.is_reversed) {}
  static void append_text(const Settings& row, std::string& out);

  bool is_done() override { return is_done_; }
  bool drops_row_key(std::string_view row) override {
    is_done_ = is_done_ || (is_reversed_ ? row < row_ : row > row_);
    return is_done_;
  }
  FilterAnswer filter_cell(const Cell&) override {
    return is_done_ ? FilterAnswer::kNextRow : FilterAnswer::kInclude;
  }

 private:
  const std::string& row_;
  bool is_reversed_;
  bool is_done_ = false;
};

// Counts every row for which drops_row() is called, including rows that other members of a list drop later.
class PageState : public FilterState {
 public:
  using Settings = std::uint64_t;
  PageState(const Settings& rows, const FilterStart&) : rows_(rows) {}
  static void append_text(const Settings& rows, std::string& out);

  bool is_done() override { return accepted_ >= rows_; }
  bool drops_row_key(std::string_view) override { return false; }
  bool drops_row() override { return ++accepted_ > rows_; }

 private:
  std::uint64_t rows_;
  std::uint64_t accepted_ = 0;
};

class PageForm : public LeafForm<PageState> {
 public:
  using LeafForm::LeafForm;
  bool has_row_filter() const override { return true; }
};

struct Condition {
  CompareOperator op;
  Comparator comparator;

  bool holds(std::string_view bytes, const FilterStart& start) const {
    return satisfies(op, comparator, bytes, *start.failure);
  }
  void append_text(const char* filter, std::string& out) const;
};

class RowState : public FilterState {
 public:
  using Settings = Condition;
  RowState(const Settings& condition, const FilterStart& start) : condition_(condition), start_(start) {}
  static void append_text(const Settings& condition, std::string& out) {
    condition.append_text("RowFilter", out);
  }

  void reset() override { is_dropped_ = false; }
  bool drops_row_key(std::string_view row) override {
    is_dropped_ = is_dropped_ || !condition_.holds(row, start_);
    return is_dropped_;
  }
  FilterAnswer filter_cell(const Cell&) override {
    return is_dropped_ ? FilterAnswer::kNextRow : FilterAnswer::kInclude;
  }
  bool drops_row() override { return is_dropped_; }

 private:
  const Condition& condition_;
  FilterStart start_;
  bool is_dropped_ = false;
};

}  // namespace bloomery::table
