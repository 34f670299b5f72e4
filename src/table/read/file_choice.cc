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

bool may_have_times(const StoreFile& file, const FamilyQuestion& question) {
  if (!file.times || !file.times->has_times()) {
    return true;  // what cannot tell is read
  }
  return has_wanted_times(file, question) &&
         (question.family->min_versions > 0 || !question.is_expired(file.times->newest));
}

bool may_have_rows(const StoreFile& file, const RowSpan& span) {
  return span.is_reversed ? file.may_have_rows(span.stop, span.start.row)
                          : file.may_have_rows(span.start.row, span.stop);
}

bool is_one_row(const RowSpan& span) {
  return !span.stop.empty() && span.stop == span.start.row && span.start.is_included && span.includes_stop;
}

bool filter_may_have(const StoreFile& file, const FamilyQuestion& question, const std::string& row) {
  if (!question.family->uses_bloom_filters) {
    return true;
  }
  if (file.file->bloom_type() != hbase::BloomType::kRowCol) {
    return file.file->may_contain_row(row);
  }
  return question.columns.empty() || std::ranges::any_of(question.columns, [&](const std::string& column) {
           return file.file->may_contain_column(row, column);
         });
}

SkippedBy choose(const StoreFile& file, const FamilyQuestion& question, const RowSpan& span) {
  if (file.file->trailer().entry_count == 0) {
    return SkippedBy::kNoCells;
  }
  if (!may_have_times(file, question)) {
    return SkippedBy::kTimeRange;
  }
  if (!may_have_rows(file, span)) {
    return SkippedBy::kKeyRange;
  }
  const bool may_have = !is_one_row(span) || filter_may_have(file, question, span.start.row);
  return may_have ? SkippedBy::kNothing : SkippedBy::kBloomFilter;
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
  }
  return {};
}

}  // namespace

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
