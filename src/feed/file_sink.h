// Stores a feeder's filter in a leased file (bloomery/filter/leased_filter.h).
//
//   users.leased       the page: the number of the live filter, the end of its lease, its progress
//   users.leased.7     the live filter, a native blocked one, updated in place
//   users.leased.8     the next one, while it is built
//   users.leased.8.key its secret, if it is a copy of a filter that has one (begin_copy())
//
// The page records the live file and the one being built, by number and inode. Only recorded files are
// removed: after a build, or, if a run was killed, when the next build begins. If another program has a file
// of such a name, that file stays and the next number is used.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "base/file.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/default_fpp.h"
#include "feed/filter_sink.h"
#include "filter/leased/lease_page.h"

namespace bloomery::feed {

struct FileSinkOptions {
  std::string path;
  std::string slot = {};  // the slot name that a new page records; empty: none
  double fpp = kDefaultFeedFpp;
  FilterOptions filter;  // the hash and the key treatment
  std::uint64_t bound_ns = 0;
};

class FileSink final : public FilterSink {
 public:
  explicit FileSink(FileSinkOptions options) : options_(std::move(options)) {}

  Result<std::optional<FeedRecord>> open() override;
  Status begin_build(std::uint64_t capacity) override;
  // Begins the copy of another filter, which takes the place of a build: an empty filter of a shape and a
  // hash. Errors: kInvalidArgument or kCapacity for the shape; those of begin_build().
  Status begin_copy(const BlockedShape& shape, std::uint64_t capacity, const HashSpec& hash);
  // Sets bits of the copy. Errors: kCorruption if they are not inside the filter.
  Status copy_bits(std::uint64_t offset, std::span<const std::byte> bytes);
  // Inserts keys of this hash into the copy, or after finish_build() into the live filter.
  void insert_hashes(std::span<const Hash128> hashes);
  Status insert_scanned(const KeyBatch& keys) override;
  Result<FeedRecord> finish_build(FeedRecord record) override;
  void abandon_build() override;
  Status insert(const KeyBatch& keys) override;
  Result<std::uint64_t> save(const FeedRecord& record) override;
  Result<std::string> noted_slot() const override;
  Status note_slot(const std::string& name) override;
  Status renew(std::uint64_t asked_ns) override;
  void make_void() override;
  Status close() override;
  Status remove() override;
  SinkFacts facts() const override;
  std::string name() const override { return options_.path; }
  // Sets the bound of the leases from the next renew() on. Precondition: open() was called.
  void set_bound(std::uint64_t bound_ns);

 private:
  // A filter that is mapped and updated in place, and its open file, which can be synced.
  struct Open {
    std::uint64_t generation = 0;
    std::string path;
    BlockedBloomFilter filter;
    File file;
  };
  Result<std::unique_ptr<Open>> open_filter(std::uint64_t generation) const;
  Result<std::uint64_t> save_new_filter(const BlockedBloomFilter& empty);
  Status begin(const BlockedBloomFilter& empty);
  Status note(std::uint64_t generation);

  FileSinkOptions options_;
  std::optional<LeasePage> page_;
  std::uint64_t generation_ = 0;  // number of the last complete filter
  std::unique_ptr<Open> live_;
  std::mutex mutex_;  // guards `built_`, which the scan's thread sets
  std::unique_ptr<Open> built_;
};

}  // namespace bloomery::feed
