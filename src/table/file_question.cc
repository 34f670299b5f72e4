#include "table/file_question.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cli/hfile/cell_text.h"
#include "table/bloom_report.h"

namespace bloomery::cli {
namespace {

std::string excluded_by_rows(const hfile::OpenFile& file, std::string_view row) {
  const auto last = parse_flat_key(file.info().find("hfile.LASTKEY").value_or(std::string_view()));
  const auto& first = file.index().root_keys;
  if (first.empty() || !last || (row >= first.front().row && row <= last->row)) {
    return {};
  }
  return fmt::format("skipped by its key range: rows {} to {}", escape_bytes(first.front().row),
                     escape_bytes(last->row));
}

std::string bloom_key(const hfile::OpenFile& file, std::string_view row) {
  return std::string(file.bloom_type() == hbase::BloomType::kRowPrefix
                         ? hbase::row_prefix(row, file.bloom_prefix_bytes())
                         : row);
}

// Of a no that the filter gave. A ROWCOL filter excludes each column, and the markers of its family.
std::string explain_bloom(const hfile::OpenFile& file, std::string_view row, const CellChoice& cells) {
  const std::string begin =
      fmt::format("skipped by its Bloom filter ({})", hbase::bloom_type_name(file.bloom_type()));
  if (file.bloom_type() != hbase::BloomType::kRowCol) {
    const std::string key = bloom_key(file, row);
    return fmt::format("{}: {} is {}", begin, escape_bytes(key), explain_no(file, key));
  }
  std::string text = begin;
  const auto add = [&](std::string_view qualifier) {
    const hbase::RowColKey key({row, qualifier});
    fmt::format_to(std::back_inserter(text), ": {} with {} is {}", escape_bytes(row),
                   qualifier.empty() ? "no qualifier" : escape_bytes(qualifier),
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

// A filter of columns tells something only where all that are wanted are named.
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
                    Explain explain) {
  const auto no = [](std::string reason) { return FileAnswer{false, std::move(reason)}; };
  if (file.trailer().entry_count == 0) {
    return no("skipped: it has no cells");
  }
  if (const auto times = times_of(file); times && !cells.wants_times(times->oldest, times->newest)) {
    return no(fmt::format("skipped by its time range: {} to {}", times->oldest, times->newest));
  }
  if (std::string reason = excluded_by_rows(file, row); !reason.empty()) {
    return no(std::move(reason));
  }
  if (!may_contain(file, row, cells)) {
    return no(explain == Explain::kYes ? explain_bloom(file, row, cells) : std::string());
  }
  return {};
}

}  // namespace bloomery::cli
