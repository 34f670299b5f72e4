#include "table/read/file_choice.h"

#include <algorithm>

#include "base/byte_text.h"
#include "base/message.h"
#include "table/skip_reasons.h"

namespace bloomery::table {
namespace {

bool has_wanted_times(const StoreFile& file, const FamilyQuestion& question) {
  return !question.times.is_after(file.times->oldest) && file.times->newest >= question.times.from;
}

// Returns the prefix of `bytes` bytes that all rows of the span share, or nothing if rows may have different
// prefixes.
std::optional<std::string_view> common_prefix(const RowSpan& span, std::size_t bytes) {
  const std::string& first = span.is_reversed ? span.stop : span.start.row;
  const std::string& last = span.is_reversed ? span.start.row : span.stop;
  const bool includes_last = span.is_reversed ? span.start.is_included : span.includes_stop;
  if (bytes == 0 || first.size() < bytes || last.empty()) {
    return std::nullopt;
  }
  const std::string_view prefix = std::string_view(first).substr(0, bytes);
  if (last.starts_with(prefix)) {
    return prefix;
  }
  std::string behind(prefix);  // the first row after all that begin with the prefix
  while (!behind.empty() && behind.back() == '\xff') {
    behind.pop_back();
  }
  if (!behind.empty()) {
    behind.back() = static_cast<char>(static_cast<unsigned char>(behind.back()) + 1);
  }
  const bool ends_there = !behind.empty() && !includes_last && last <= behind;
  return ends_there ? std::optional(prefix) : std::nullopt;
}

bool is_one_row(const RowSpan& span) {
  return !span.stop.empty() && span.stop == span.start.row && span.start.is_included && span.includes_stop;
}

bool filter_may_have(const StoreFile& file, const FamilyQuestion& question, const RowSpan& span) {
  if (!question.family->uses_bloom_filters) {
    return true;
  }
  const hfile::OpenFile& opened = *file.file;
  if (!is_one_row(span)) {
    const auto prefix = opened.bloom_type() == hbase::BloomType::kRowPrefix
                            ? common_prefix(span, opened.bloom_prefix_bytes())
                            : std::nullopt;
    return !prefix || opened.may_contain_prefix(*prefix);
  }
  if (opened.bloom_type() != hbase::BloomType::kRowCol) {
    return opened.may_contain_row(span.start.row);
  }
  return question.columns.empty() || std::ranges::any_of(question.columns, [&](const std::string& column) {
           return opened.may_contain_column(span.start.row, column);
         });
}

SkippedBy choose(const StoreFile& file, const FamilyQuestion& question, const RowSpan& span) {
  const SkippedBy by = span.is_reversed ? skip_without_filter(file, question, span.stop, span.start.row)
                                        : skip_without_filter(file, question, span.start.row, span.stop);
  return by != SkippedBy::kNothing || filter_may_have(file, question, span) ? by : SkippedBy::kBloomFilter;
}

}  // namespace

bool may_have_times(const StoreFile& file, const FamilyQuestion& question) {
  if (!file.times || !file.times->has_times()) {
    return true;  // the times are not known
  }
  return has_wanted_times(file, question) &&
         (question.family->min_versions > 0 || !question.is_expired(file.times->newest));
}

SkippedBy skip_without_filter(const StoreFile& file, const FamilyQuestion& question, std::string_view first,
                              std::string_view last) {
  if (file.file->trailer().entry_count == 0) {
    return SkippedBy::kNoCells;
  }
  if (!may_have_times(file, question)) {
    return SkippedBy::kTimeRange;
  }
  return file.may_have_rows(first, last) ? SkippedBy::kNothing : SkippedBy::kKeyRange;
}

std::string reason_of(SkippedBy by, const StoreFile& file, const FamilyQuestion& question) {
  switch (by) {
    case SkippedBy::kNothing:
      return {};
    case SkippedBy::kNoCells:
      return "skipped: it has no cells";
    case SkippedBy::kTimeRange:
      return skipped_by_times(*file.times) +
             (has_wanted_times(file, question) ? ", which has outlived the family's TTL" : "");
    case SkippedBy::kKeyRange:
      return skipped_by_rows(*file.file) +
             (file.half ? message(", of which the rows ", file.half->is_top ? "from " : "before ",
                                  escape_bytes(file.half->row), " count")
                        : std::string());
    case SkippedBy::kBloomFilter:
      return skipped_by_filter(*file.file);
    case SkippedBy::kNewerCells:
      return file.times ? skipped_by_newer_cells(*file.times) : "skipped by newer cells";
    case SkippedBy::kRequestFilter:
      return "skipped: the filter of the request needs no more of the row";
  }
  return {};
}

std::vector<FileChoice> choose_files(const OpenStore& store, const FamilyQuestion& question,
                                     const RowSpan& span, ExplainSkips explain) {
  std::vector<FileChoice> choices;
  for (const StoreFilePointer& file : store.files) {
    const SkippedBy by = choose(*file, question, span);
    choices.push_back({by, explain == ExplainSkips::kYes ? reason_of(by, *file, question) : std::string()});
  }
  return choices;
}

std::vector<StoreFilePointer> files_to_read(const OpenStore& store, const std::vector<FileChoice>& choices) {
  std::vector<StoreFilePointer> files;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].skipped_by == SkippedBy::kNothing) {
      files.push_back(store.files[i]);
    }
  }
  return files;
}

}  // namespace bloomery::table
