#include <algorithm>
#include <utility>

#include "base/message.h"
#include "bloomery/table/filter.h"
#include "table/filter/column_filters.h"
#include "table/filter/filter_lists.h"
#include "table/filter/fuzzy_row.h"
#include "table/filter/row_filters.h"
#include "table/filter/row_ranges.h"
#include "table/filter/value_filters.h"

namespace bloomery {
namespace table {

void append_quoted(std::string& out, std::string_view bytes) {
  out += '\'';
  for (const char c : bytes) {
    out += c;
    if (c == '\'') {
      out += c;
    }
  }
  out += '\'';
}

}  // namespace table

template <typename Form, typename... Arguments>
Filter Filter::make(Arguments&&... arguments) {
  return Filter(std::make_shared<Form>(std::forward<Arguments>(arguments)...));
}

Filter Filter::key_only(bool length_as_value) {
  return make<table::LeafForm<table::KeyOnlyState>>(length_as_value);
}

Filter Filter::first_key_only() {
  return make<table::LeafForm<table::FirstKeyOnlyState>>(table::NoSettings());
}

Filter Filter::prefix(std::string prefix) {
  return make<table::LeafForm<table::PrefixState>>(std::move(prefix));
}

Filter Filter::column_prefix(std::string prefix) {
  return make<table::LeafForm<table::ColumnPrefixState>>(std::move(prefix));
}

Result<Filter> Filter::multiple_column_prefix(std::vector<std::string> prefixes) {
  std::ranges::sort(prefixes);
  if (prefixes.empty() || std::ranges::adjacent_find(prefixes) != prefixes.end()) {
    return Error::invalid_argument(
        "MultipleColumnPrefixFilter",
        message("expected different prefixes, found ", prefixes.empty() ? "none" : "one twice"));
  }
  return make<table::LeafForm<table::MultipleColumnPrefixState>>(std::move(prefixes));
}

Filter Filter::column_count_get(std::uint32_t limit) {
  return make<table::LeafForm<table::ColumnCountGetState>>(limit);
}

Filter Filter::page(std::uint64_t rows) {
  return make<table::PageForm>(rows);
}

Filter Filter::column_pagination(std::uint32_t limit, std::uint32_t offset) {
  return make<table::LeafForm<table::ColumnPaginationState>>(table::Pagination{limit, offset});
}

Filter Filter::inclusive_stop(std::string row) {
  return make<table::LeafForm<table::InclusiveStopState>>(std::move(row));
}

Result<Filter> Filter::timestamps(std::vector<std::int64_t> times) {
  const auto below = std::ranges::find_if(times, [](std::int64_t time) { return time < 0; });
  if (below != times.end()) {
    return Error::invalid_argument("TimestampsFilter", message("expected times from 0 on, found ", *below));
  }
  return make<table::LeafForm<table::TimestampsState>>(std::set<std::int64_t>(times.begin(), times.end()));
}

Filter Filter::row(CompareOperator op, Comparator comparator) {
  return make<table::LeafForm<table::RowState>>(table::Condition{op, std::move(comparator)});
}

Filter Filter::family(CompareOperator op, Comparator comparator) {
  return make<table::LeafForm<table::FamilyState>>(table::Condition{op, std::move(comparator)});
}

Filter Filter::qualifier(CompareOperator op, Comparator comparator) {
  return make<table::LeafForm<table::QualifierState>>(table::Condition{op, std::move(comparator)});
}

Filter Filter::value(CompareOperator op, Comparator comparator) {
  return make<table::LeafForm<table::ValueState>>(table::Condition{op, std::move(comparator)});
}

Filter Filter::column_range(QualifierRange range) {
  return make<table::LeafForm<table::ColumnRangeState>>(std::move(range));
}

Filter Filter::single_column_value(ColumnCondition condition) {
  return make<table::SingleColumnValueForm<table::SingleColumnValueState>>(std::move(condition));
}

Filter Filter::single_column_value_exclude(ColumnCondition condition) {
  return make<table::SingleColumnValueForm<table::SingleColumnValueExcludeState>>(std::move(condition));
}

Filter Filter::dependent_column(std::string family, std::string qualifier, bool drops_column,
                                std::optional<CompareOperator> op, std::optional<Comparator> comparator) {
  return make<table::DependentColumnForm>(table::DependentColumn{std::move(family), std::move(qualifier),
                                                                 drops_column, op, std::move(comparator)});
}

Filter Filter::column_value(std::string family, std::string qualifier, CompareOperator op,
                            Comparator comparator) {
  return make<table::ColumnValueForm>(
      table::ColumnValueSettings{std::move(family), std::move(qualifier), {op, std::move(comparator)}});
}

Result<Filter> Filter::fuzzy_row(std::vector<FuzzyKey> keys) {
  BLOOMERY_RETURN_IF_ERROR(table::check_fuzzy_keys(keys));
  return make<table::LeafForm<table::FuzzyRowState>>(std::move(keys));
}

Result<Filter> Filter::multi_row_range(std::vector<RowRange> ranges) {
  BLOOMERY_ASSIGN_OR_RETURN(auto joined, table::joined_ranges(std::move(ranges)));
  return make<table::LeafForm<table::MultiRowRangeState>>(std::move(joined));
}

Filter Filter::all(std::vector<Filter> members) {
  return make<table::AllForm>(std::move(members));
}

Filter Filter::one(std::vector<Filter> members) {
  return make<table::OneForm>(std::move(members));
}

Filter Filter::skip(Filter filter) {
  return make<table::SkipForm>(std::move(filter));
}

Filter Filter::while_match(Filter filter) {
  return make<table::WhileForm>(std::move(filter));
}

std::string Filter::to_string() const {
  std::string text;
  form_->append_text(text);
  return text;
}

}  // namespace bloomery
