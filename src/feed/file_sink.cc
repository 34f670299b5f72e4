#include "feed/file_sink.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/directory.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::feed {
namespace {

// Inserts keys, a piece at a time so that the hashes stay in the cache.
void insert_into(BlockedBloomFilter& filter, const KeyBatch& keys) {
  constexpr std::size_t kPiece = 256;
  std::vector<Hash128> hashes;
  hashes.reserve(std::min(kPiece, keys.size()));
  for (std::size_t first = 0; first < keys.size(); first += kPiece) {
    hashes.clear();
    for (std::size_t i = first; i < std::min(first + kPiece, keys.size()); ++i) {
      hashes.push_back(hash_bytes(keys.key(i), filter.hash_spec()));
    }
    (void)filter.insert_batch(hashes, Sharing::kShared);
  }
}

bool is_generation(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char digit) { return digit >= '0' && digit <= '9'; });
}

}  // namespace

Result<std::unique_ptr<FileSink::Open>> FileSink::open_filter(const std::string& path) const {
  // A run that was killed leaves the filter dirty. Bits are only ever set, so all that was synced is in it.
  BLOOMERY_ASSIGN_OR_RETURN(
      BlockedBloomFilter filter,
      BlockedBloomFilter::open(
          path,
          {.access = Access::kUpdateInPlace,
           .recorded_keys = RecordedKeys::kKnown,
           .accept_dirty = true,
           .secret = options_.filter.hash.id == HashId::kSipHash ? &options_.filter.hash.secret : nullptr}));
  BLOOMERY_ASSIGN_OR_RETURN(File file, FileSystem::real().open(path, OpenFor::kUpdating));
  return std::make_unique<Open>(Open{.path = path, .filter = std::move(filter), .file = std::move(file)});
}

Result<std::optional<FeedRecord>> FileSink::open() {
  live_.reset();
  page_.reset();
  BLOOMERY_ASSIGN_OR_RETURN(LeasePage page, LeasePage::open_for_feeder(options_.path));
  page.set_bound(options_.bound_ns);
  page_.emplace(std::move(page));
  const LeaseRecord record = page_->read_record();
  generation_ = record.generation;
  remove_other_generations(record.generation);
  if (record.generation == 0) {
    return std::optional<FeedRecord>();
  }
  Result<std::unique_ptr<Open>> opened = open_filter(page_->filter_path(record.generation));
  const bool is_same = opened && (*opened)->filter.hash_spec() == options_.filter.hash &&
                       (*opened)->filter.key_treatment() == options_.filter.keys;
  if (!is_same) {  // it is gone, damaged, or its keys were made otherwise: it is built anew
    return std::optional<FeedRecord>();
  }
  live_ = std::move(*opened);
  return std::optional(FeedRecord{.generation = record.generation,
                                  .position = record.position,
                                  .system = record.source,
                                  .timeline = record.epoch,
                                  .keys = record.keys,
                                  .deletes = record.deletes,
                                  .shape = record.shape});
}

void FileSink::remove_other_generations(std::uint64_t kept) const {
  const std::filesystem::path path = options_.path;
  const std::string prefix = path.filename().string() + ".";
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const auto entries = list_directory(folder);
  if (!entries) {
    return;
  }
  for (const DirectoryEntry& entry : *entries) {
    const bool is_ours =
        entry.name.starts_with(prefix) && is_generation(std::string_view(entry.name).substr(prefix.size()));
    if (is_ours && entry.name != prefix + std::to_string(kept)) {
      (void)FileSystem::real().remove(folder + "/" + entry.name);
    }
  }
}

Status FileSink::begin_build(std::uint64_t capacity) {
  const std::string path = page_->filter_path(generation_ + 1);
  (void)FileSystem::real().remove(path);
  {
    BLOOMERY_ASSIGN_OR_RETURN(const BlockedBloomFilter empty,
                              BlockedBloomFilter::for_capacity(capacity, options_.fpp, options_.filter));
    BLOOMERY_RETURN_IF_ERROR(empty.save(path));
  }
  BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<Open> opened, open_filter(path));
  const std::lock_guard lock(mutex_);
  built_ = std::move(opened);
  return {};
}

Status FileSink::insert_scanned(const KeyBatch& keys) {
  insert_into(built_->filter, keys);
  return {};
}

Status FileSink::insert(const KeyBatch& keys) {
  if (live_) {
    insert_into(live_->filter, keys);
  }
  const std::lock_guard lock(mutex_);
  if (built_) {
    insert_into(built_->filter, keys);
  }
  return {};
}

void FileSink::abandon_build() {
  const std::lock_guard lock(mutex_);
  if (built_) {
    (void)FileSystem::real().remove(built_->path);
    built_.reset();
  }
}

Result<std::uint64_t> FileSink::save(const FeedRecord& record) {
  if (!live_) {
    return record.position;
  }
  BLOOMERY_RETURN_IF_ERROR(live_->file.sync());  // also writes what was changed through the mapping
  page_->set_position(record.position);
  BLOOMERY_RETURN_IF_ERROR(page_->write_record({.generation = record.generation,
                                                .position = record.position,
                                                .source = record.system,
                                                .epoch = record.timeline,
                                                .keys = record.keys,
                                                .deletes = record.deletes,
                                                .shape = record.shape}));
  return record.position;
}

Result<FeedRecord> FileSink::finish_build(FeedRecord record) {
  record.generation = generation_ + 1;
  BLOOMERY_RETURN_IF_ERROR(FileSystem::real().sync_directory_of(built_->path));
  std::unique_ptr<Open> before;
  {
    const std::lock_guard lock(mutex_);
    before = std::exchange(live_, std::move(built_));
  }
  if (const auto saved = save(record); !saved) {
    const std::lock_guard lock(mutex_);
    built_ = std::exchange(live_, std::move(before));
    return saved.error();
  }
  generation_ = record.generation;
  page_->set_generation(record.generation);  // from here on, questions open the new one
  before.reset();
  remove_other_generations(record.generation);
  return record;
}

Status FileSink::renew(std::uint64_t asked_ns) {
  page_->renew(asked_ns + options_.bound_ns);
  return {};
}

void FileSink::make_void() {
  if (page_) {
    page_->make_void();
  }
}

Status FileSink::close() {
  abandon_build();
  if (!live_) {
    return {};
  }
  const std::unique_ptr<Open> live = std::move(live_);
  return live->filter.finish_update();
}

SinkFacts FileSink::facts() const {
  return live_ ? SinkFacts{.capacity = live_->filter.capacity(),
                           .bytes = live_->filter.file_bytes(),
                           .target_fpp = live_->filter.target_fpp()}
               : SinkFacts{};
}

}  // namespace bloomery::feed
