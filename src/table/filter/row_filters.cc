#include "table/filter/row_filters.h"

#include "base/message.h"

namespace bloomery::table {

void PrefixState::append_text(const Settings& prefix, std::string& out) {
  out += "PrefixFilter(";
  append_quoted(out, prefix);
  out += ')';
}

bool PrefixState::drops_row_key(std::string_view row) {
  if (has_passed_) {
    return true;
  }
  const int order = compare_bytes(row.substr(0, prefix_.size()), prefix_);
  has_passed_ = is_reversed_ ? order < 0 : order > 0;
  is_other_row_ = order != 0;
  is_ahead_ = is_reversed_ ? order > 0 : order < 0;
  return has_passed_;
}

FilterAnswer PrefixState::filter_cell(const Cell&) {
  return is_ahead_ ? FilterAnswer::kHint : is_other_row_ ? FilterAnswer::kNextRow : FilterAnswer::kInclude;
}

// Reversed, the hint is the first row after all rows with the prefix.
std::optional<FlatKey> PrefixState::hint(const CellKey&) {
  if (!is_reversed_) {
    return FlatKey(first_on_row(prefix_));
  }
  std::string behind = prefix_;
  while (!behind.empty() && behind.back() == '\xff') {
    behind.pop_back();
  }
  if (behind.empty()) {
    return std::nullopt;
  }
  behind.back() = static_cast<char>(behind.back() + 1);
  return FlatKey(first_on_row(behind));
}

void InclusiveStopState::append_text(const Settings& row, std::string& out) {
  out += "InclusiveStopFilter(";
  append_quoted(out, row);
  out += ')';
}

void PageState::append_text(const Settings& rows, std::string& out) {
  out += message("PageFilter(", rows, ")");
}

void Condition::append_text(const char* filter, std::string& out) const {
  out += message(filter, "(", compare_operator_name(op), ", ");
  append_quoted(out, comparator.to_string());
  out += ')';
}

}  // namespace bloomery::table
