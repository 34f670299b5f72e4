#include "table/filter/column_filters.h"

#include <algorithm>

#include "base/message.h"

namespace bloomery::table {

void ColumnPrefixState::append_text(const Settings& prefix, std::string& out) {
  out += "ColumnPrefixFilter(";
  append_quoted(out, prefix);
  out += ')';
}

FilterAnswer ColumnPrefixState::filter_cell(const Cell& cell) {
  if (cell.key.qualifier.starts_with(prefix_)) {
    return FilterAnswer::kInclude;
  }
  return cell.key.qualifier < prefix_ ? FilterAnswer::kHint : FilterAnswer::kNextRow;
}

void MultipleColumnPrefixState::append_text(const Settings& prefixes, std::string& out) {
  out += "MultipleColumnPrefixFilter(";
  for (const std::string& prefix : prefixes) {
    out += &prefix == &prefixes.front() ? "" : ", ";
    append_quoted(out, prefix);
  }
  out += ')';
}

FilterAnswer MultipleColumnPrefixState::filter_cell(const Cell& cell) {
  const auto behind = std::ranges::upper_bound(prefixes_, cell.key.qualifier);
  if (behind != prefixes_.begin() && cell.key.qualifier.starts_with(*std::prev(behind))) {
    return FilterAnswer::kInclude;
  }
  if (behind == prefixes_.end()) {
    return FilterAnswer::kNextRow;
  }
  next_ = *behind;
  return FilterAnswer::kHint;
}

void ColumnRangeState::append_text(const Settings& range, std::string& out) {
  out += "ColumnRangeFilter(";
  const auto append_side = [&](const std::optional<std::string>& side, bool is_included) {
    side ? append_quoted(out, *side) : void(out += "null");
    out += is_included ? ", true" : ", false";
  };
  append_side(range.from, range.includes_from);
  out += ", ";
  append_side(range.to, range.includes_to);
  out += ')';
}

FilterAnswer ColumnRangeState::filter_cell(const Cell& cell) {
  const std::string_view qualifier = cell.key.qualifier;
  if (range_.from && qualifier < *range_.from) {
    return FilterAnswer::kHint;
  }
  if (range_.from && qualifier == *range_.from && !range_.includes_from) {
    return FilterAnswer::kNextColumn;
  }
  if (!range_.to || qualifier < *range_.to || (qualifier == *range_.to && range_.includes_to)) {
    return FilterAnswer::kInclude;
  }
  return FilterAnswer::kNextRow;
}

void ColumnCountGetState::append_text(const Settings& limit, std::string& out) {
  out += message("ColumnCountGetFilter(", limit, ")");
}

void ColumnPaginationState::append_text(const Settings& settings, std::string& out) {
  out += message("ColumnPaginationFilter(", settings.limit, ", ", settings.offset, ")");
}

}  // namespace bloomery::table
