#include "table/read/file_uses.h"

#include <algorithm>
#include <utility>

#include "table/read/file_choice.h"

namespace bloomery::table {

FileUses::FileUses(const FamilyQuestion& question, std::shared_ptr<const OpenStore> store)
    : question_(question),
      store_(std::move(store)),
      files_(store_->files.size()),
      may_be_lazy_(!question.columns.empty() && !question.is_raw),
      begins_with_markers_(may_be_lazy_ && question.columns.front().empty()),
      counted_(files_),
      reads_(files_) {}

void FileUses::flush_counts() {
  const std::size_t kind = question_.columns.empty() ? kRowGets : kColumnGets;
  for (std::size_t file = 0; file < files_; ++file) {
    if (const auto& counts = store_->files[file]->filter_counts; counts != nullptr) {
      counts->add(std::exchange(counted_[file], {}));
      store_->files[file]->reads->add(kind, std::exchange(reads_[file], {}));
    }
  }
  if (gets_ > 0) {
    (*store_->gets)[kind].fetch_add(std::exchange(gets_, 0), std::memory_order_relaxed);
  }
}

// Fills asked_ with the facts that are the same for all rows.
void FileUses::look_at_files() {
  asked_.resize(files_);
  for (std::size_t i = 0; i < files_; ++i) {
    look_at_file(i);
  }
}

// Looks again at cells in memory, which may have become more.
void FileUses::look_at_memory() {
  for (std::size_t i = files_; i > 0 && store_->files[i - 1]->memory != nullptr; --i) {
    look_at_file(i - 1);
  }
}

void FileUses::look_at_file(std::size_t i) {
  const StoreFile& file = *store_->files[i];
  AskedFile& asked = asked_[i];
  asked.always = skip_by_times(file, question_);
  if (file.memory != nullptr) {
    return;
  }
  const hbase::BloomType type = file.file->bloom_type();
  asked.asks_filter = question_.family->uses_bloom_filters && type != hbase::BloomType::kNone &&
                      (type != hbase::BloomType::kRowCol || !question_.columns.empty());
  asked.asks_second =
      question_.family->uses_bloom_filters && !question_.columns.empty() && file.file->second_bloom();
  if (file.rows && !file.half) {
    asked.first_row = file.rows->first;
    asked.last_row = file.rows->second;
  }
  if (asked.always == SkippedBy::kNothing && asked.asks_filter && type == hbase::BloomType::kRow) {
    const hbase::ChunkDirectory& directory = file.file->bloom()->directory();
    asked.has_heads = directory.has_heads() && !asked.last_row.empty() &&
                      asked.first_row.starts_with(directory.shared()) &&
                      asked.last_row.starts_with(directory.shared());
    asked.first_head = asked.has_heads ? directory.head_of(asked.first_row) : 0;
    asked.last_head = asked.has_heads ? directory.head_of(asked.last_row) : 0;
  }
}

SkippedBy FileUses::skip(std::size_t file, std::string_view row) const {
  const AskedFile& asked = asked_[file];
  if (asked.always != SkippedBy::kNothing) {
    return asked.always;
  }
  const bool may_have = asked.last_row.empty() ? store_->files[file]->may_have_row(row)
                                               : asked.first_row <= row && row <= asked.last_row;
  return may_have ? SkippedBy::kNothing : SkippedBy::kKeyRange;
}

// Rejects a file by its filter of rows or prefixes, or by one of columns.
void FileUses::deny(Place place, bool by_column) {
  ++counted_[place.file].negatives;
  ++(by_column ? reads_[place.file].column_noes : reads_[place.file].row_noes);
  reject(place, SkippedBy::kBloomFilter);
}

void FileUses::reject(Place place, SkippedBy by) {
  const std::size_t at = std::size_t{place.row} * files_ + place.file;
  uses_[at] = FileUse::kNone;
  reasons_[at] = by;
  --counts_[place.row];
}

// Returns true if the file may have markers that delete the family in the row. A ROWCOL filter has them under
// the row with an empty qualifier, and otherwise the delete-family filter has them.
bool FileUses::may_have_markers(RowQuestion& row, const StoreFile& file) const {
  if (file.memory != nullptr) {
    return file.memory->may_have_family_markers();
  }
  const hfile::OpenFile& opened = *file.file;
  if (opened.bloom_type() != hbase::BloomType::kRowCol || !question_.family->uses_bloom_filters) {
    return opened.may_contain_delete_family(row.row());
  }
  HashedKey& key = *row.columns(question_.columns).back();
  return opened.may_contain_key(*opened.bloom(), key.bytes(), key.pair(opened.bloom()->meta().hash));
}

// Queries a ROWCOL filter, first for the family's markers. A file without them is read lazily. If the first
// column is the one without a name, whose versions include the markers, every file is.
bool FileUses::ask_columns(RowQuestion& row, std::size_t file, FileUse& use) {
  const hfile::OpenFile& opened = *store_->files[file]->file;
  auto& keys = row.columns(question_.columns);
  const auto may_have = [&](const std::unique_ptr<HashedKey>& key) {
    return opened.may_contain_key(*opened.bloom(), key->bytes(), key->pair(opened.bloom()->meta().hash));
  };
  const bool may_have_markers = may_have(keys.back());
  use = may_be_lazy_ && (begins_with_markers_ || !may_have_markers) ? FileUse::kReadLazily : FileUse::kRead;
  if (may_have_markers) {
    return true;
  }
  return std::any_of(keys.begin(), keys.end() - 1, may_have);
}

// Queries the filter of a file whose key range has the row. A query of a ROW or ROWPREFIX chunk in memory is
// only begun.
void FileUses::ask(RowQuestion& row, Place place) {
  const hfile::OpenFile& opened = *store_->files[place.file]->file;
  FilterCounters& counted = counted_[place.file];
  ++counted.checks;
  if (opened.bloom_type() == hbase::BloomType::kRowCol) {
    if (!ask_columns(row, place.file, uses_[std::size_t{place.row} * files_ + place.file])) {
      deny(place, true);
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
    begun.place = place;
    ++begun_count_;
  } else if (probed == hfile::ChunkedFilter::Probed::kNo ||
             !opened.may_contain_key(filter, key.bytes(), pair)) {
    deny(place, false);
  }
}

// Computes the heads of the rows (chunk_directory.h), unless the previous directory has the same shared
// prefix.
void FileUses::share_front(const hbase::ChunkDirectory& directory, std::span<RowQuestion> rows) {
  const std::string_view front = directory.shared();
  if (front_ == front) {
    return;
  }
  front_ = front;
  heads_.resize(std::max(heads_.size(), rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view row = rows[i].row();
    heads_[i] = row.starts_with(front) ? std::optional(directory.head_of(row)) : std::nullopt;
  }
}

// Checks if the file may have the row. A query of the filter may only be begun.
void FileUses::look_at_row(RowQuestion& row, Place place) {
  if (const SkippedBy by = skip(place.file, row.row()); by != SkippedBy::kNothing) {
    reject(place, by);
  } else if (asked_[place.file].asks_filter) {
    ask(row, place);
  }
}

// Does what look_at_row() does for all rows, for a ROW filter with a directory. The heads almost always
// decide, and ascending rows mostly remain in one chunk.
void FileUses::look_at_heads(std::span<RowQuestion> rows, std::uint32_t file) {
  const AskedFile& asked = asked_[file];
  const hfile::ChunkedFilter& filter = *store_->files[file]->file->bloom();
  const hbase::ChunkDirectory& directory = filter.directory();
  share_front(directory, rows);
  std::size_t near = hbase::ChunkDirectory::kNone;
  std::optional<std::span<const std::byte>> bytes;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const Place place{.row = i, .file = file};
    if (!heads_[i] || *heads_[i] == asked.first_head || *heads_[i] == asked.last_head) {
      look_at_row(rows[i], place);
      continue;
    }
    if (*heads_[i] < asked.first_head || *heads_[i] > asked.last_head) {
      reject(place, SkippedBy::kKeyRange);
      continue;
    }
    const std::size_t chunk = directory.chunk_of_head(*heads_[i], near);
    if (chunk >= hbase::ChunkDirectory::kUndecided) {
      look_at_row(rows[i], place);
      continue;
    }
    if (chunk != near) {
      bytes = filter.chunk_in_memory(chunk);
      near = chunk;
    }
    if (!bytes) {
      look_at_row(rows[i], place);
      near = hbase::ChunkDirectory::kNone;  // the chunk may be in memory now
      continue;
    }
    ++counted_[file].checks;
    Begun& begun = begun_[begun_count_++];
    begun.probe.start(*bytes, filter.meta().hash_count, rows[i].whole_row().pair(filter.meta().hash));
    begun.place = place;
  }
}

// Tests the bits in rounds. A few queries are latency-bound, so they fetch several bits at a time. Many
// queries saturate the memory, so they fetch one bit at a time: a 0 saves the rest. Whether a bit is set is
// random, so the loop has no branch on it, and queries are not moved: only their indexes are.
void FileUses::test_probes() {
  constexpr std::size_t kFew = 3;
  constexpr std::size_t kMany = 64;
  constexpr std::uint32_t kAll = ~std::uint32_t{0};
  open_.clear();
  for (std::uint32_t i = 0; i < begun_count_; ++i) {
    if (!begun_[i].probe.is_done()) {
      open_.push_back(i);
    }
  }
  rejected_.resize(open_.size());
  for (std::uint32_t round = 0; !open_.empty(); ++round) {
    const std::uint32_t bits = open_.size() > kMany ? 1 : open_.size() > kFew && round == 0 ? 3 : kAll;
    for (const std::uint32_t i : open_) {
      begun_[i].probe.prefetch(bits);
    }
    std::size_t left = 0;
    std::size_t rejected = 0;
    for (const std::uint32_t i : open_) {
      hbase::ChunkProbe& probe = begun_[i].probe;
      const bool is_maybe = bits == 1 ? probe.test_one() : probe.test(bits);
      rejected_[rejected] = i;
      rejected += static_cast<std::size_t>(!is_maybe);
      open_[left] = i;
      left += static_cast<std::size_t>(is_maybe & !probe.is_done());
    }
    for (const std::uint32_t i : std::span(rejected_).first(rejected)) {
      deny(begun_[i].place, false);
    }
    open_.resize(left);
  }
}

// Queries the second filters for the rows that the first ones did not deny. The markers of the family are
// not in them.
void FileUses::ask_second_filters(std::span<RowQuestion> rows) {
  second_noes_.assign(uses_.size(), false);
  for (std::uint32_t file = 0; file < files_; ++file) {
    if (!asked_[file].asks_second) {
      continue;
    }
    const hfile::OpenFile& opened = *store_->files[file]->file;
    const hfile::ChunkedFilter& filter = *opened.second_bloom();
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const std::size_t at = std::size_t{i} * files_ + file;
      if (uses_[at] == FileUse::kNone) {
        continue;
      }
      counted_[file].checks += asked_[file].asks_filter ? 0U : 1U;
      auto& keys = rows[i].columns(question_.columns);
      const auto may_have = [&](const std::unique_ptr<HashedKey>& key) {
        return opened.may_contain_key(filter, key->bytes(), key->pair(filter.meta().hash));
      };
      if (std::none_of(keys.begin(), keys.end() - 1, may_have) &&
          !opened.may_contain_delete_family(rows[i].row())) {
        second_noes_[at] = true;
        deny({.row = i, .file = file}, true);
      }
    }
  }
}

void FileUses::choose(std::span<RowQuestion> rows) {
  gets_ += rows.size();
  if (asked_.empty() || question_.family->time_to_live_ms) {
    look_at_files();
  } else {
    look_at_memory();
  }
  uses_.assign(rows.size() * files_, FileUse::kRead);
  reasons_.assign(rows.size() * files_, SkippedBy::kNothing);
  counts_.assign(rows.size(), static_cast<std::uint32_t>(files_));
  begun_count_ = 0;
  begun_.resize(std::max(begun_.size(), rows.size() * files_));
  front_.reset();
  for (std::uint32_t file = 0; file < files_; ++file) {
    if (asked_[file].has_heads) {
      look_at_heads(rows, file);
      continue;
    }
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      look_at_row(rows[i], {.row = i, .file = file});
    }
  }
  test_probes();
  if (std::ranges::any_of(asked_, &AskedFile::asks_second)) {
    ask_second_filters(rows);
  }
  if (!may_be_lazy_) {
    return;
  }
  for (std::size_t at = 0; at < uses_.size(); ++at) {
    const StoreFile& file = *store_->files[at % files_];
    const bool is_asked =
        asked_[at % files_].asks_filter && file.file->bloom_type() == hbase::BloomType::kRowCol;
    if (uses_[at] == FileUse::kRead && !is_asked &&
        (begins_with_markers_ || !may_have_markers(rows[at / files_], file))) {
      uses_[at] = FileUse::kReadLazily;
    }
  }
}

void FileUses::count_found(std::size_t i, const StoreMerge& merge, bool is_found) {
  // A get of one column ends at the newest file that has it. No filter saves it a read of an older one.
  const bool ends_early = is_found && may_be_lazy_ && question_.columns.size() == 1;
  bool has_ended = false;
  for (std::size_t file = files_; file-- > 0;) {
    const std::size_t at = i * files_ + file;
    if (has_ended && reasons_[at] == SkippedBy::kBloomFilter) {
      const bool by_column = second_noes_.empty()
                                 ? store_->files[file]->file->bloom_type() == hbase::BloomType::kRowCol
                                 : second_noes_[at];
      --(by_column ? reads_[file].column_noes : reads_[file].row_noes);
    }
    const FileCursor* const cursor = uses_[at] == FileUse::kNone ? nullptr : merge.cursor(file);
    if (cursor == nullptr || !cursor->has_looked()) {
      continue;
    }
    if (asked_[file].asks_filter || asked_[file].asks_second) {
      ++(cursor->has_met_row() ? counted_[file].true_positives : counted_[file].false_positives);
    }
    ++reads_[file].reads;
    reads_[file].without_row += cursor->has_met_row() ? 0U : 1U;
    reads_[file].without_column += cursor->has_met_row() && !cursor->has_met_column() ? 1U : 0U;
    has_ended = has_ended || (ends_early && cursor->has_met_column());
  }
}

}  // namespace bloomery::table
