#include "table/read/file_uses.h"

#include <algorithm>
#include <utility>

#include "table/read/file_choice.h"

namespace bloomery::table {

FileUses::FileUses(const FamilyQuestion& question, std::shared_ptr<const OpenStore> store)
    : question_(question),
      store_(std::move(store)),
      files_(store_->files.size()),
      may_be_lazy_(!question.columns.empty() && !question.columns.front().empty() && !question.has_filter &&
                   !question.is_raw && !question.family->has_new_version_behavior),
      counted_(files_) {}

void FileUses::flush_counts() {
  for (std::size_t file = 0; file < files_; ++file) {
    store_->files[file]->filter_counts->add(std::exchange(counted_[file], {}));
  }
}

// Finds out what is the same for all rows.
void FileUses::look_at_files() {
  asked_.resize(files_);
  for (std::size_t i = 0; i < files_; ++i) {
    const StoreFile& file = *store_->files[i];
    const hbase::BloomType type = file.file->bloom_type();
    AskedFile& asked = asked_[i];
    asked.always = file.file->trailer().entry_count == 0 ? SkippedBy::kNoCells
                   : may_have_times(file, question_)     ? SkippedBy::kNothing
                                                         : SkippedBy::kTimeRange;
    asked.asks_filter = question_.family->uses_bloom_filters && type != hbase::BloomType::kNone &&
                        (type != hbase::BloomType::kRowCol || !question_.columns.empty());
    if (file.rows && !file.half) {
      asked.first_row = file.rows->first;
      asked.last_row = file.rows->second;
    }
  }
}

SkippedBy FileUses::skip(std::size_t file, std::string_view row) const {
  const AskedFile& asked = asked_[file];
  if (asked.always != SkippedBy::kNothing) {
    return asked.always;
  }
  const bool may_have = asked.last_row.empty() ? store_->files[file]->may_have_rows(row, row)
                                               : asked.first_row <= row && row <= asked.last_row;
  return may_have ? SkippedBy::kNothing : SkippedBy::kKeyRange;
}

void FileUses::reject(std::size_t at, SkippedBy by) {
  uses_[at] = FileUse::kNone;
  reasons_[at] = by;
  --counts_[at / files_];
}

// Markers of the family stand in a filter of their own, or in one of columns under the row alone.
bool FileUses::may_have_markers(RowQuestion& row, const hfile::OpenFile& file) const {
  if (file.bloom_type() != hbase::BloomType::kRowCol || !question_.family->uses_bloom_filters) {
    return file.may_contain_delete_family(row.row());
  }
  HashedKey& key = *row.columns(question_.columns).back();
  return file.may_contain_key(key.bytes(), key.pair(file.bloom()->meta().hash));
}

// Asks a filter of columns. The markers are asked for first: their no is what makes a file lazy.
bool FileUses::ask_columns(RowQuestion& row, std::size_t file, FileUse& use) {
  const hfile::OpenFile& opened = *store_->files[file]->file;
  auto& keys = row.columns(question_.columns);
  const auto may_have = [&](const std::unique_ptr<HashedKey>& key) {
    return opened.may_contain_key(key->bytes(), key->pair(opened.bloom()->meta().hash));
  };
  if (may_have(keys.back())) {
    return true;
  }
  use = may_be_lazy_ ? FileUse::kReadLazily : FileUse::kRead;
  return std::any_of(keys.begin(), keys.end() - 1, may_have);
}

// Asks the filter of a file that the row is in the range of, or begins to.
void FileUses::ask(RowQuestion& row, std::size_t file, std::size_t at) {
  const hfile::OpenFile& opened = *store_->files[file]->file;
  FilterCounters& counted = counted_[file];
  ++counted.checks;
  if (opened.bloom_type() == hbase::BloomType::kRowCol) {
    if (!ask_columns(row, file, uses_[at])) {
      ++counted.negatives;
      reject(at, SkippedBy::kBloomFilter);
    }
    return;
  }
  HashedKey& key = opened.bloom_type() == hbase::BloomType::kRow ? row.whole_row()
                                                                 : row.prefix(opened.bloom_prefix_bytes());
  const hfile::ChunkedFilter& filter = *opened.bloom();
  const hbase::HashPair pair = key.pair(filter.meta().hash);
  Begun& begun = begun_[begun_count_];
  const auto probed = filter.probe(key.bytes(), pair, begun.probe);
  if (probed == hfile::ChunkedFilter::Probed::kAsk) {
    begun.at = at;
    ++begun_count_;
  } else if (probed == hfile::ChunkedFilter::Probed::kNo || !opened.may_contain_key(key.bytes(), pair)) {
    ++counted.negatives;
    reject(at, SkippedBy::kBloomFilter);
  }
}

// Tests the bits in rounds. Few questions wait for memory, so they fetch several bits at a time. Many questions keep
// the memory busy, so they fetch no bit that the one before may spare.
void FileUses::test_probes() {
  constexpr std::size_t kMany = 64;
  for (std::uint32_t round = 0; begun_count_ > 0; ++round) {
    const auto probes = std::span(begun_).first(begun_count_);
    const std::uint32_t all = ~std::uint32_t{0};
    const std::uint32_t bits = probes.size() > kMany ? (round < 2 ? 1 : all) : (round == 0 ? 3 : all);
    for (Begun& begun : probes) {
      begun.probe.prefetch(bits);
    }
    std::size_t left = 0;
    for (Begun& begun : probes) {
      if (!begun.probe.test()) {
        ++counted_[begun.at % files_].negatives;
        reject(begun.at, SkippedBy::kBloomFilter);
      } else if (!begun.probe.is_done()) {
        begun_[left++] = begun;
      }
    }
    begun_count_ = left;
  }
}

void FileUses::choose(std::span<RowQuestion> rows) {
  if (asked_.empty() || question_.family->time_to_live_ms) {
    look_at_files();
  }
  uses_.assign(rows.size() * files_, FileUse::kRead);
  reasons_.assign(rows.size() * files_, SkippedBy::kNothing);
  counts_.assign(rows.size(), static_cast<std::uint32_t>(files_));
  begun_count_ = 0;
  begun_.resize(std::max(begun_.size(), rows.size() * files_));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t file = 0; file < files_; ++file) {
      const std::size_t at = i * files_ + file;
      if (const SkippedBy by = skip(file, rows[i].row()); by != SkippedBy::kNothing) {
        reject(at, by);
      } else if (asked_[file].asks_filter) {
        ask(rows[i], file, at);
      }
    }
  }
  test_probes();
  for (std::size_t at = 0; may_be_lazy_ && at < uses_.size(); ++at) {
    const hfile::OpenFile& file = *store_->files[at % files_]->file;
    const bool is_asked = asked_[at % files_].asks_filter && file.bloom_type() == hbase::BloomType::kRowCol;
    if (uses_[at] == FileUse::kRead && !is_asked && !may_have_markers(rows[at / files_], file)) {
      uses_[at] = FileUse::kReadLazily;
    }
  }
}

void FileUses::count_found(std::size_t i, const StoreMerge& merge) {
  for (std::size_t file = 0; file < files_; ++file) {
    const FileCursor* const cursor = of(i)[file] == FileUse::kNone ? nullptr : merge.cursor(file);
    if (cursor != nullptr && cursor->has_looked() && asked_[file].asks_filter) {
      ++(cursor->has_met_row() ? counted_[file].true_positives : counted_[file].false_positives);
    }
  }
}

}  // namespace bloomery::table
