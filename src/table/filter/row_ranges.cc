#include "table/filter/row_ranges.h"

#include <algorithm>

#include "base/byte_text.h"
#include "base/message.h"

namespace bloomery::table {
namespace {

bool has_rows(const RowRange& range) {
  return range.start.empty() || range.stop.empty() || range.start < range.stop ||
         (range.start == range.stop && range.includes_stop);
}

// Returns true if no row is between the end of `a` and the start of `b`, which does not start before `a`.
bool meet(const RowRange& a, const RowRange& b) {
  return a.stop.empty() || a.stop > b.start || (a.stop == b.start && (a.includes_stop || b.includes_start));
}

void extend(RowRange& range, const RowRange& by) {
  if (range.stop.empty()) {
    return;
  }
  if (by.stop.empty() || by.stop > range.stop) {
    range.stop = by.stop;
    range.includes_stop = by.includes_stop;
  } else if (by.stop == range.stop) {
    range.includes_stop = range.includes_stop || by.includes_stop;
  }
}

bool begins_after(const RowRange& range, std::string_view row) {
  return row < range.start;
}

bool ends_before(const RowRange& range, std::string_view row) {
  return !range.stop.empty() && (row > range.stop || (row == range.stop && !range.includes_stop));
}

}  // namespace

Result<std::vector<RowRange>> joined_ranges(std::vector<RowRange> ranges) {
  if (ranges.empty()) {
    return Error::invalid_argument("MultiRowRangeFilter", "expected a range at least, found none");
  }
  for (const RowRange& range : ranges) {
    if (!has_rows(range)) {
      return Error::invalid_argument("MultiRowRangeFilter",
                                     message("expected ranges with rows, found one from ",
                                             escape_bytes(range.start), " to ", escape_bytes(range.stop)));
    }
  }
  std::ranges::stable_sort(ranges, {}, &RowRange::start);
  std::vector<RowRange> joined;
  for (RowRange& range : ranges) {
    if (!joined.empty() && meet(joined.back(), range)) {
      extend(joined.back(), range);
    } else {
      joined.push_back(std::move(range));
    }
  }
  return joined;
}

void MultiRowRangeState::append_text(const Settings& ranges, std::string& out) {
  out += "MultiRowRangeFilter(";
  for (const RowRange& range : ranges) {
    out += &range == &ranges.front() ? "" : ", ";
    append_quoted(out, range.start);
    out += range.includes_start ? ", true, " : ", false, ";
    append_quoted(out, range.stop);
    out += range.includes_stop ? ", true" : ", false";
  }
  out += ')';
}

bool MultiRowRangeState::drops_row_key(std::string_view row) {
  if (is_done_) {
    return true;
  }
  start_.is_reversed ? decide_reversed(row) : decide_forward(row);
  return false;
}

FilterAnswer MultiRowRangeState::filter_cell(const Cell&) {
  if (!answer_ && !start_.failure->has_value()) {
    *start_.failure = Error(ErrorCode::kUnsupported, "MultiRowRangeFilter",
                            "expected a place where the filter hears of rows, found it inside of SKIP, where "
                            "HBase fails");
  }
  return answer_.value_or(FilterAnswer::kSkip);
}

void MultiRowRangeState::decide_forward(std::string_view row) {
  const auto range =
      std::ranges::find_if(ranges_, [&](const RowRange& each) { return !ends_before(each, row); });
  if (range == ranges_.end()) {
    is_done_ = true;
    answer_ = FilterAnswer::kNextRow;
  } else if (begins_after(*range, row)) {
    next_ = &*range;
    answer_ = FilterAnswer::kHint;
  } else {
    answer_ = row == range->start && !range->includes_start ? FilterAnswer::kNextRow : FilterAnswer::kInclude;
  }
}

void MultiRowRangeState::decide_reversed(std::string_view row) {
  const auto range = std::find_if(ranges_.rbegin(), ranges_.rend(), [&](const RowRange& each) {
    return each.start < row || (each.start == row && each.includes_start);
  });
  if (range == ranges_.rend()) {
    is_done_ = true;
    answer_ = FilterAnswer::kNextRow;
  } else if (!range->stop.empty() && row > range->stop) {
    next_ = &*range;
    answer_ = FilterAnswer::kHint;
  } else {
    answer_ = ends_before(*range, row) ? FilterAnswer::kNextRow : FilterAnswer::kInclude;
  }
}

std::optional<FlatKey> MultiRowRangeState::hint(const CellKey&) {
  if (next_ == nullptr) {
    return std::nullopt;
  }
  return FlatKey(first_on_row(start_.is_reversed ? next_->stop : next_->start));
}

}  // namespace bloomery::table
