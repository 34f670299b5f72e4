// Lists of filters (AND, OR) and wrappers of one filter (SKIP, WHILE).
//
// AND queries its members in order as long as they include the cell. After the first no, it queries only
// hinting members. The answer that moves farthest wins:
//
//   hint > next row > next column > skip > include and next row > include and next column > include
//
// but a step that one member wants is not lost: "include and next column" with "skip" is "next column".
//
// OR queries all members, except one whose last answer still covers the cell. "Next column" covers the same
// column, "next row" the same family, and a hint all cells before the hinted key. The answer that moves least
// far wins, and an include wins over all others.
//
// Source: HBase 2.6, FilterListWithAND, FilterListWithOR, SkipFilter, WhileMatchFilter.
#pragma once

#include "bloomery/table/filter.h"
#include "table/filter/filter_form.h"

namespace bloomery::table {

class ListForm : public FilterForm {
 public:
  ListForm(std::vector<Filter> members, const char* word) : members_(std::move(members)), word_(word) {}

  void append_text(std::string& out) const override;
  bool has_row_filter() const override;
  bool is_essential(std::string_view family) const override;
  bool is_list() const override { return true; }

 protected:
  std::vector<FilterStatePointer> start_members(const FilterStart& start) const;

 private:
  std::vector<Filter> members_;
  const char* word_;
};

class AllForm : public ListForm {
 public:
  explicit AllForm(std::vector<Filter> members) : ListForm(std::move(members), "AND") {}
  FilterStatePointer start(const FilterStart& start) const override;
};

class OneForm : public ListForm {
 public:
  explicit OneForm(std::vector<Filter> members) : ListForm(std::move(members), "OR") {}
  FilterStatePointer start(const FilterStart& start) const override;
};

// The wrapped filter is not told that a scan is reversed, as in HBase.
class WrapperForm : public FilterForm {
 public:
  WrapperForm(Filter filter, const char* word) : filter_(std::move(filter)), word_(word) {}

  void append_text(std::string& out) const override;
  bool has_row_filter() const override { return true; }
  bool is_essential(std::string_view family) const override { return filter_.form().is_essential(family); }

 protected:
  FilterStatePointer start_wrapped(const FilterStart& start) const {
    return filter_.form().start({.is_reversed = false, .failure = start.failure});
  }

 private:
  Filter filter_;
  const char* word_;
};

class SkipForm : public WrapperForm {
 public:
  explicit SkipForm(Filter filter) : WrapperForm(std::move(filter), "SKIP") {}
  FilterStatePointer start(const FilterStart& start) const override;
};

class WhileForm : public WrapperForm {
 public:
  explicit WhileForm(Filter filter) : WrapperForm(std::move(filter), "WHILE") {}
  FilterStatePointer start(const FilterStart& start) const override;
};

}  // namespace bloomery::table
