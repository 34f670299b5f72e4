#include "feed/file_sink.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bloomery/hash/hash128.h"
#include "filter/native/native_access.h"

namespace bloomery::feed {
namespace {

// Inserts keys in groups whose hashes fit into the CPU cache.
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

// The most numbers that are tried if other files have those names.
constexpr std::uint64_t kMostTaken = 1000;

}  // namespace

Result<std::unique_ptr<FileSink::Open>> FileSink::open_filter(std::uint64_t generation) const {
  const std::string path = page_->filter_path(generation);
  // A killed run leaves the filter marked as dirty. Bits are only ever set, so it has every key that was
  // synced.
  BLOOMERY_ASSIGN_OR_RETURN(
      BlockedBloomFilter filter,
      BlockedBloomFilter::open(
          path,
          {.access = Access::kUpdateInPlace,
           .recorded_keys = RecordedKeys::kKnown,
           .accept_dirty = true,
           .secret = options_.filter.hash.id == HashId::kSipHash ? &options_.filter.hash.secret : nullptr}));
  BLOOMERY_ASSIGN_OR_RETURN(File file, FileSystem::real().open(path, OpenFor::kUpdating));
  return std::make_unique<Open>(
      Open{.generation = generation, .path = path, .filter = std::move(filter), .file = std::move(file)});
}

Result<std::optional<FeedRecord>> FileSink::open() {
  live_.reset();
  page_.reset();
  BLOOMERY_ASSIGN_OR_RETURN(LeasePage page, LeasePage::open_for_feeder(options_.path, options_.slot));
  page.set_bound(options_.bound_ns);
  page_.emplace(std::move(page));
  const LeaseRecord record = page_->read_record();
  generation_ = record.generation;
  found_columns_ = record.columns;
  page_->remove_made(record.generation);
  if (record.generation == 0) {
    return std::optional<FeedRecord>();
  }
  Result<std::unique_ptr<Open>> opened = open_filter(record.generation);
  const bool is_same = opened && (*opened)->filter.hash_spec() == options_.filter.hash &&
                       (*opened)->filter.key_treatment() == options_.filter.keys;
  if (!is_same) {  // it is gone, damaged, or has keys of another form: rebuild it
    if (opened) {
      (void)(*opened)->filter.finish_update();
    }
    return std::optional<FeedRecord>();
  }
  live_ = std::move(*opened);
  BLOOMERY_RETURN_IF_ERROR(note(record.generation));
  return std::optional(FeedRecord{
      .generation = record.generation,
      .position = record.position,
      .system = record.source,
      .timeline = record.epoch,
      .keys = record.keys,
      .deletes = record.deletes,
      .shape = record.shape,
      .columns = record.columns,
      .confirmed = record.confirmed,
      .commit = {.end = record.commit_end, .time_us = record.commit_time_us, .xid = record.commit_xid}});
}

// Saves an empty filter under the first free number, and returns the number.
Result<std::uint64_t> FileSink::save_new_filter(const BlockedBloomFilter& empty) {
  std::uint64_t generation = generation_ + 1;
  while (generation - generation_ < kMostTaken && FileSystem::real().facts(page_->filter_path(generation))) {
    ++generation;
  }
  BLOOMERY_RETURN_IF_ERROR(empty.save(page_->filter_path(generation)));  // save() never replaces a file
  BLOOMERY_RETURN_IF_ERROR(note(generation));
  return generation;
}

Status FileSink::note(std::uint64_t generation) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, FileSystem::real().facts(page_->filter_path(generation)));
  page_->note_made({.generation = generation, .inode = facts.inode});
  return {};
}

Status FileSink::begin_build(std::uint64_t capacity) {
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedBloomFilter empty,
                            BlockedBloomFilter::for_capacity(capacity, options_.fpp, options_.filter));
  return begin(empty);
}

Status FileSink::begin(const BlockedBloomFilter& empty) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t generation, save_new_filter(empty));
  Result<std::unique_ptr<Open>> opened = open_filter(generation);
  if (!opened) {
    page_->remove_made(generation_);
    return opened.error();
  }
  const std::lock_guard lock(mutex_);
  built_ = std::move(*opened);
  return {};
}

Status FileSink::begin_copy(const BlockedShape& shape, std::uint64_t capacity, const HashSpec& hash) {
  abandon_build();
  options_.filter.hash = hash;
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedBloomFilter empty,
                            BlockedBloomFilter::for_shape(shape, capacity, options_.filter));
  BLOOMERY_RETURN_IF_ERROR(begin(empty));
  if (hash.id != HashId::kSipHash) {
    return {};
  }
  const std::string path = built_->path + ".key";
  if (HashSecret::load(path)) {  // of a run that was killed
    (void)FileSystem::real().remove(path);
  }
  return hash.secret.save_new(path);
}

Status FileSink::copy_bits(std::uint64_t offset, std::span<const std::byte> bytes) {
  const std::span<std::byte> bits = NativeAccess::body(built_->filter).storage.raw();
  if (offset > bits.size() || bytes.size() > bits.size() - offset) {
    return Error::corruption(
        built_->path, offset,
        "expected at most " + std::to_string(bits.size()) + " bytes of the filter, found more");
  }
  std::ranges::copy(bytes, bits.begin() + static_cast<std::ptrdiff_t>(offset));
  return {};
}

void FileSink::insert_hashes(std::span<const Hash128> hashes) {
  Open* const filter = built_ ? built_.get() : live_.get();
  (void)filter->filter.insert_batch(hashes, Sharing::kShared);
}

void FileSink::set_bound(std::uint64_t bound_ns) {
  options_.bound_ns = bound_ns;
  page_->set_bound(bound_ns);
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
    built_.reset();
    page_->remove_made(generation_);
  }
}

Result<std::uint64_t> FileSink::save(const FeedRecord& record) {
  if (!live_) {
    return record.position;
  }
  BLOOMERY_RETURN_IF_ERROR(live_->file.sync());  // also writes the changed pages of the mapping
  page_->set_position(record.position);
  BLOOMERY_RETURN_IF_ERROR(page_->write_record({.generation = record.generation,
                                                .position = record.position,
                                                .source = record.system,
                                                .epoch = record.timeline,
                                                .keys = record.keys,
                                                .deletes = record.deletes,
                                                .shape = record.shape,
                                                .columns = record.columns,
                                                .confirmed = record.confirmed,
                                                .commit_end = record.commit.end,
                                                .commit_time_us = record.commit.time_us,
                                                .commit_xid = record.commit.xid}));
  return record.position;
}

Result<FeedRecord> FileSink::finish_build(FeedRecord record) {
  record.generation = built_->generation;
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
  page_->set_generation(record.generation);  // from here on, queries open the new filter
  before.reset();
  page_->remove_made(record.generation);
  return record;
}

Result<std::string> FileSink::noted_slot() const {
  if (page_) {
    return page_->slot();
  }
  const Result<LeasePage> page = LeasePage::open(options_.path);
  if (!page && page.error().code() == ErrorCode::kCorruption) {
    return page.error().with_code(ErrorCode::kInvalidArgument);
  }
  return page ? Result<std::string>(page->slot()) : page.error();
}

Status FileSink::note_slot(const std::string& name) {
  return page_->slot() == name ? Status() : page_->note_slot(name);
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

Status FileSink::remove() {
  FileSystem& files = FileSystem::real();
  if (const auto found = files.facts(options_.path); !found) {
    return found.error().code() == ErrorCode::kNotFound ? Status() : Status(found.error());
  }
  BLOOMERY_RETURN_IF_ERROR(open());
  live_.reset();
  page_->remove_made(0);
  return files.remove(options_.path);
}

SinkFacts FileSink::facts() const {
  return live_ ? SinkFacts{.capacity = live_->filter.capacity(),
                           .bytes = live_->filter.file_bytes(),
                           .target_fpp = live_->filter.target_fpp()}
               : SinkFacts{};
}

}  // namespace bloomery::feed
