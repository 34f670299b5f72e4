#include "table/read/file_choice.h"

#include <algorithm>

#include "base/byte_text.h"
#include "base/message.h"
#include "hfile/bloom/bloom_key.h"

namespace bloomery::table {
namespace {

bool has_wanted_times(const hfile::TimeSpan& times, const FamilyQuestion& question) {
  return !question.times.is_after(times.oldest) && times.newest >= question.times.from;
}

bool may_have_times(const StoreFile& file, const FamilyQuestion& question) {
  const auto times = file.time_span();
  if (!times || !times->has_times()) {
    return true;  // the times are not known
  }
  return has_wanted_times(*times, question) &&
         (question.family->min_versions > 0 || !question.is_expired(times->newest));
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

// Queries the filter for a row. One of columns can answer no only if all wanted columns are named.
bool filter_may_have_row(const hfile::OpenFile& file, const FamilyQuestion& question, std::string_view row) {
  if (file.column_filter() == nullptr || question.columns.empty()) {
    return file.may_contain_row(row);
  }
  return std::ranges::any_of(question.columns,
                             [&](const std::string& column) { return file.may_contain_column(row, column); });
}

bool filter_may_have_span(const hfile::OpenFile& file, const RowSpan& span) {
  const auto prefix = file.bloom_type() == hbase::BloomType::kRowPrefix
                          ? common_prefix(span, file.bloom_prefix_bytes())
                          : std::nullopt;
  return !prefix || file.may_contain_prefix(*prefix);
}

SkippedBy choose(const StoreFile& file, const FamilyQuestion& question, const RowSpan& span) {
  if (is_one_row(span)) {
    return skip_for_row(file, question, span.start.row);
  }
  if (const SkippedBy by = skip_by_times(file, question); by != SkippedBy::kNothing) {
    return by;
  }
  if (!(span.is_reversed ? file.may_have_rows(span.stop, span.start.row)
                         : file.may_have_rows(span.start.row, span.stop))) {
    return SkippedBy::kKeyRange;
  }
  return !question.family->uses_bloom_filters || file.memory != nullptr ||
                 filter_may_have_span(*file.file, span)
             ? SkippedBy::kNothing
             : SkippedBy::kBloomFilter;
}

// Returns "FIRST to LAST", and which of these rows count.
std::string shown_rows(const StoreFile& file) {
  std::string shown =
      file.rows ? message(escape_bytes(file.rows->first), " to ", escape_bytes(file.rows->second)) : "";
  if (file.half) {
    shown += message(", of which the rows ", file.half->is_top ? "from " : "before ",
                     escape_bytes(file.half->row), " count");
  }
  return shown;
}

}  // namespace

SkippedBy skip_by_times(const StoreFile& file, const FamilyQuestion& question) {
  return file.is_empty()                  ? SkippedBy::kNoCells
         : may_have_times(file, question) ? SkippedBy::kNothing
                                          : SkippedBy::kTimeRange;
}

SkippedBy skip_for_row(const StoreFile& file, const FamilyQuestion& question, std::string_view row) {
  if (const SkippedBy by = skip_by_times(file, question); by != SkippedBy::kNothing) {
    return by;
  }
  if (!file.may_have_row(row)) {
    return SkippedBy::kKeyRange;
  }
  return !question.family->uses_bloom_filters || file.memory != nullptr ||
                 filter_may_have_row(*file.file, question, row)
             ? SkippedBy::kNothing
             : SkippedBy::kBloomFilter;
}

std::string reason_of(SkippedBy by, const StoreFile& file, const FamilyQuestion& question) {
  const auto times = file.time_span();
  switch (by) {
    case SkippedBy::kNothing:
      return {};
    case SkippedBy::kNoCells:
      return "skipped: it has no cells";
    case SkippedBy::kTimeRange:
      return message("skipped by its time range: ", times->oldest, " to ", times->newest,
                     has_wanted_times(*times, question) ? ", which has outlived the family's TTL" : "");
    case SkippedBy::kKeyRange:
      return file.memory != nullptr ? "skipped: it has no cell of the row"
                                    : message("skipped by its key range: rows ", shown_rows(file));
    case SkippedBy::kBloomFilter:
      return message("skipped by its Bloom filter (", file.file->bloom_names(), ")");
    case SkippedBy::kNewerCells:
      return message("skipped by newer cells",
                     times ? message(": its newest one is of ", times->newest) : std::string());
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
