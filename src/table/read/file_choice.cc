#include "table/read/file_choice.h"

#include <algorithm>

namespace bloomery::table {
namespace {

bool may_have_times(const StoreFile& file, const FamilyQuestion& question) {
  if (!file.times || !file.times->has_times()) {
    return true;  // what cannot tell is read
  }
  if (question.times.is_after(file.times->oldest) || file.times->newest < question.times.from) {
    return false;
  }
  return question.family->min_versions > 0 || !question.is_expired(file.times->newest);
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

}  // namespace

std::vector<StoreFilePointer> files_to_read(const OpenStore& store, const FamilyQuestion& question,
                                            const RowSpan& span) {
  std::vector<StoreFilePointer> files;
  for (const StoreFilePointer& file : store.files) {
    if (file->file->trailer().entry_count != 0 && may_have_times(*file, question) &&
        may_have_rows(*file, span) &&
        (!is_one_row(span) || filter_may_have(*file, question, span.start.row))) {
      files.push_back(file);
    }
  }
  return files;
}

}  // namespace bloomery::table
