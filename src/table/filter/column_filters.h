// Filters that decide by the column of a cell, or count columns.
//
//   ColumnPrefix, MultipleColumnPrefix, ColumnRange      hint at the next column that can match
//   Family, Qualifier                                     compare a name
//   FirstKeyOnly, ColumnCountGet, ColumnPagination        count columns of a row, over all its families
//
// Source: HBase 2.6, the classes of these names.
#pragma once

#include "bloomery/table/filter.h"
#include "table/filter/filter_form.h"
#include "table/filter/row_filters.h"

namespace bloomery::table {

class ColumnPrefixState : public FilterState {
 public:
  using Settings = std::string;
  ColumnPrefixState(const Settings& prefix, const FilterStart&) : prefix_(prefix) {}
  static void append_text(const Settings& prefix, std::string& out);

  FilterAnswer filter_cell(const Cell& cell) override;
  std::optional<FlatKey> hint(const CellKey& cell) override {
    return FlatKey(first_on_column(cell.row, cell.family, prefix_));
  }
  bool is_hinting() const override { return true; }

 private:
  const std::string& prefix_;
};

// Only the greatest prefix that is not after the qualifier is tried.
class MultipleColumnPrefixState : public FilterState {
 public:
  using Settings = std::vector<std::string>;  // ascending
  MultipleColumnPrefixState(const Settings& prefixes, const FilterStart&) : prefixes_(prefixes) {}
  static void append_text(const Settings& prefixes, std::string& out);

  FilterAnswer filter_cell(const Cell& cell) override;
  std::optional<FlatKey> hint(const CellKey& cell) override {
    return FlatKey(first_on_column(cell.row, cell.family, next_));
  }
  bool is_hinting() const override { return true; }

 private:
  const Settings& prefixes_;
  std::string_view next_;
};

class ColumnRangeState : public FilterState {
 public:
  using Settings = QualifierRange;
  ColumnRangeState(const Settings& range, const FilterStart&) : range_(range) {}
  static void append_text(const Settings& range, std::string& out);

  FilterAnswer filter_cell(const Cell& cell) override;
  std::optional<FlatKey> hint(const CellKey& cell) override {
    return FlatKey(first_on_column(cell.row, cell.family, range_.from.value_or(std::string())));
  }
  bool is_hinting() const override { return true; }

 private:
  const Settings& range_;
};

class FamilyState : public FilterState {
 public:
  using Settings = Condition;
  FamilyState(const Settings& condition, const FilterStart& start) : condition_(condition), start_(start) {}
  static void append_text(const Settings& condition, std::string& out) {
    condition.append_text("FamilyFilter", out);
  }

  FilterAnswer filter_cell(const Cell& cell) override {
    return condition_.holds(cell.key.family, start_) ? FilterAnswer::kInclude : FilterAnswer::kNextRow;
  }

 private:
  const Condition& condition_;
  FilterStart start_;
};

class QualifierState : public FilterState {
 public:
  using Settings = Condition;
  QualifierState(const Settings& condition, const FilterStart& start)
      : condition_(condition), start_(start) {}
  static void append_text(const Settings& condition, std::string& out) {
    condition.append_text("QualifierFilter", out);
  }

  FilterAnswer filter_cell(const Cell& cell) override {
    return condition_.holds(cell.key.qualifier, start_) ? FilterAnswer::kInclude : FilterAnswer::kSkip;
  }

 private:
  const Condition& condition_;
  FilterStart start_;
};

struct NoSettings {};

class FirstKeyOnlyState : public FilterState {
 public:
  using Settings = NoSettings;
  FirstKeyOnlyState(const Settings&, const FilterStart&) {}
  static void append_text(const Settings&, std::string& out) { out += "FirstKeyOnlyFilter()"; }

  void reset() override { has_first_ = false; }
  FilterAnswer filter_cell(const Cell&) override {
    return std::exchange(has_first_, true) ? FilterAnswer::kNextRow : FilterAnswer::kInclude;
  }

 private:
  bool has_first_ = false;
};

class ColumnCountGetState : public FilterState {
 public:
  using Settings = std::uint32_t;
  ColumnCountGetState(const Settings& limit, const FilterStart&) : limit_(limit) {}
  static void append_text(const Settings& limit, std::string& out);

  void reset() override { count_ = 0; }
  bool is_done() override { return count_ > limit_; }
  bool drops_row_key(std::string_view) override { return false; }
  FilterAnswer filter_cell(const Cell&) override {
    return ++count_ > limit_ ? FilterAnswer::kNextColumn : FilterAnswer::kIncludeAndNextColumn;
  }

 private:
  std::uint32_t limit_;
  std::uint64_t count_ = 0;
};

struct Pagination {
  std::uint32_t limit = 0;
  std::uint32_t offset = 0;
};

class ColumnPaginationState : public FilterState {
 public:
  using Settings = Pagination;
  ColumnPaginationState(const Settings& settings, const FilterStart&) : settings_(settings) {}
  static void append_text(const Settings& settings, std::string& out);

  void reset() override { count_ = 0; }
  FilterAnswer filter_cell(const Cell&) override {
    if (count_ >= std::uint64_t{settings_.offset} + settings_.limit) {
      return FilterAnswer::kNextRow;
    }
    return count_++ < settings_.offset ? FilterAnswer::kNextColumn : FilterAnswer::kIncludeAndNextColumn;
  }

 private:
  Pagination settings_;
  std::uint64_t count_ = 0;
};

}  // namespace bloomery::table
