#include "table/filter/value_filters.h"

#include "base/endian.h"
#include "base/message.h"

namespace bloomery::table {
namespace {

void append_column(std::string& out, std::string_view family, std::string_view qualifier) {
  append_quoted(out, family);
  out += ", ";
  append_quoted(out, qualifier);
}

void append_comparison(std::string& out, CompareOperator op, const Comparator& comparator) {
  out += message(", ", compare_operator_name(op), ", ");
  append_quoted(out, comparator.to_string());
}

}  // namespace

// Drops the tags too, so that a reference to a large object is not followed.
void KeyOnlyState::transform(Cell& cell) {
  cell.tags = {};
  if (!length_as_value_) {
    cell.value = {};
    return;
  }
  store_big(reinterpret_cast<std::byte*>(length_.data()), static_cast<std::uint32_t>(cell.value.size()));
  cell.value = {length_.data(), length_.size()};
}

void TimestampsState::append_text(const Settings& times, std::string& out) {
  out += "TimestampsFilter(";
  for (const std::int64_t time : times) {
    out += message(time == *times.begin() ? "" : ", ", time);
  }
  out += ')';
}

void ColumnValueState::append_text(const Settings& settings, std::string& out) {
  out += "ColumnValueFilter(";
  append_column(out, settings.family, settings.qualifier);
  append_comparison(out, settings.condition.op, settings.condition.comparator);
  out += ')';
}

FilterAnswer ColumnValueState::filter_cell(const Cell& cell) {
  if (cell.key.family != settings_.family || cell.key.qualifier != settings_.qualifier) {
    return has_column_ ? FilterAnswer::kNextRow : FilterAnswer::kNextColumn;
  }
  has_column_ = true;
  return settings_.condition.holds(cell.value, start_) ? FilterAnswer::kInclude : FilterAnswer::kSkip;
}

void SingleColumnValueState::append_condition(const char* filter, const Settings& settings,
                                              std::string& out) {
  out += message(filter, "(");
  append_column(out, settings.family, settings.qualifier);
  append_comparison(out, settings.op, settings.comparator);
  out += message(", ", settings.is_missing_filtered ? "true" : "false", ", ",
                 settings.is_latest_version_only ? "true" : "false", ")");
}

void SingleColumnValueState::append_text(const Settings& settings, std::string& out) {
  append_condition("SingleColumnValueFilter", settings, out);
}

void SingleColumnValueExcludeState::append_text(const Settings& settings, std::string& out) {
  append_condition("SingleColumnValueExcludeFilter", settings, out);
}

FilterAnswer SingleColumnValueState::filter_cell(const Cell& cell) {
  if (is_matched_) {
    return FilterAnswer::kInclude;
  }
  if (settings_.is_latest_version_only && has_column_) {
    return FilterAnswer::kNextRow;
  }
  if (!is_column(cell.key)) {
    return FilterAnswer::kInclude;
  }
  has_column_ = true;
  is_matched_ = satisfies(settings_.op, settings_.comparator, cell.value, *start_.failure);
  return is_matched_ || !settings_.is_latest_version_only ? FilterAnswer::kInclude : FilterAnswer::kNextRow;
}

void DependentColumnState::append_text(const Settings& settings, std::string& out) {
  out += "DependentColumnFilter(";
  append_column(out, settings.family, settings.qualifier);
  out += settings.drops_column ? ", true" : ", false";
  if (settings.op && settings.comparator) {
    append_comparison(out, *settings.op, *settings.comparator);
  }
  out += ')';
}

FilterAnswer DependentColumnState::filter_cell(const Cell& cell) {
  if (cell.key.family != settings_.family || cell.key.qualifier != settings_.qualifier) {
    return FilterAnswer::kInclude;
  }
  if (settings_.op && settings_.comparator &&
      !satisfies(*settings_.op, *settings_.comparator, cell.value, *start_.failure)) {
    return FilterAnswer::kSkip;
  }
  times_.insert(cell.key.timestamp);
  return settings_.drops_column ? FilterAnswer::kSkip : FilterAnswer::kInclude;
}

}  // namespace bloomery::table
