#include "table/file_question.h"

#include <algorithm>
#include <optional>

#include "base/byte_text.h"
#include "base/message.h"
#include "hfile/time_span.h"
#include "table/bloom_explanation.h"
#include "table/skip_reasons.h"

namespace bloomery::table {
namespace {

std::string excluded_by_rows(const hfile::OpenFile& file, std::string_view row) {
  const auto last = parse_flat_key(file.info().find("hfile.LASTKEY").value_or(std::string_view()));
  const auto& first = file.index().root_keys;
  const RowOrder order = file.trailer().row_order;
  if (first.empty() || !last ||
      (std::is_gteq(compare_rows(order, row, first.front().row)) &&
       std::is_lteq(compare_rows(order, row, last->row)))) {
    return {};
  }
  return skipped_by_rows(file);
}

std::string bloom_key(const hfile::OpenFile& file, std::string_view row) {
  return std::string(file.bloom_type() == hbase::BloomType::kRowPrefix
                         ? hbase::row_prefix(row, file.bloom_prefix_bytes())
                         : row);
}

// Explains a no of the filter. A ROWCOL filter answered no to each column, and to the empty qualifier of the
// family's markers.
std::string explain_bloom(const hfile::OpenFile& file, std::string_view row, const CellChoice& cells) {
  const std::string begin = skipped_by_filter(file);
  if (file.bloom_type() != hbase::BloomType::kRowCol) {
    const std::string key = bloom_key(file, row);
    return message(begin, ": ", escape_bytes(key), " is ", explain_no(file, key));
  }
  std::string text = begin;
  const auto add = [&](std::string_view qualifier) {
    const hbase::RowColKey key({row, qualifier});
    text += message(": ", escape_bytes(row), " with ",
                    qualifier.empty() ? "no qualifier" : escape_bytes(qualifier), " is ",
                    explain_no(file, key.bytes()));
  };
  for (const ChosenColumn& column : cells.columns()) {
    if (!column.qualifier->empty()) {
      add(*column.qualifier);
    }
  }
  add({});
  return text;
}

// Queries the Bloom filter. A ROWCOL filter can answer no only if all wanted columns are named.
bool may_contain(const hfile::OpenFile& file, std::string_view row, const CellChoice& cells) {
  const auto& columns = cells.columns();
  const bool named = !columns.empty() && std::ranges::all_of(columns, [](const ChosenColumn& column) {
    return column.qualifier.has_value();
  });
  if (file.bloom_type() != hbase::BloomType::kRowCol || !named) {
    return file.may_contain_row(row);
  }
  return std::ranges::any_of(
      columns, [&](const ChosenColumn& column) { return file.may_contain_column(row, *column.qualifier); });
}

}  // namespace

FileAnswer ask_file(const hfile::OpenFile& file, std::string_view row, const CellChoice& cells,
                    ExplainSkips explain) {
  const auto no = [](SkippedBy by, std::string reason) { return FileAnswer{by, std::move(reason)}; };
  if (file.trailer().entry_count == 0) {
    return no(SkippedBy::kNoCells, "skipped: it has no cells");
  }
  // A file that has cells and an empty time range is damaged. That is no reason to skip it.
  const auto times = hfile::times_of(file);
  if (times && times->has_times() && !cells.wants_times(times->oldest, times->newest)) {
    return no(SkippedBy::kTimeRange, skipped_by_times(*times));
  }
  if (std::string reason = excluded_by_rows(file, row); !reason.empty()) {
    return no(SkippedBy::kKeyRange, std::move(reason));
  }
  if (!may_contain(file, row, cells)) {
    return no(SkippedBy::kBloomFilter,
              explain == ExplainSkips::kYes ? explain_bloom(file, row, cells) : std::string());
  }
  return {};
}

}  // namespace bloomery::table
