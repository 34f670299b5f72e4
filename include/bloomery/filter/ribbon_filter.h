// The ribbon filter: for sets that do not change, the least space there is, at any fpp.
//
//   auto filter = RibbonFilter::build(keys, 1e-4);          // 13.42 bits per key; a Bloom filter takes 19.17
//
// A bumped ribbon of width 64 in independent shards: L + 0.022 bits + 0.2 per cent a key from 10^6 keys on,
// where L is at most 0.086 above log2(1/fpp) (ribbon_sizing.h). A set of at most 160 keys takes at most 16
// slots more than keys. Which key is where: src/filter/ribbon/ribbon_kernel.h, docs/formats/native.md.
//
// It is static: keys go in when it is built, and a changed set is built again; RibbonBuilder takes streams of
// any length in bounded memory, and keys that must be answered no. The order and the repeats of keys do not
// show in the bytes.
//
// Damage: open() verifies the header and the directory. A shard's own checksum is verified when a key first
// meets the shard (about 10 us); a damaged shard answers maybe to everything, and status() tells of it from
// then on. A part of a filter (RibbonBuildOptions::part) answers maybe for what other parts hold.
//
// Threads: everything const may run at once. What it does not do: add, remove, or resist keys chosen by
// someone who knows the seed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/typed_view.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

struct RibbonShard;

class RibbonFilter : public NativeFilter, public TypedViews<RibbonFilter> {
 public:
  RibbonFilter(RibbonFilter&&) noexcept;
  RibbonFilter& operator=(RibbonFilter&&) noexcept;
  ~RibbonFilter();

  // A filter of all keys of a range, in memory. O(1) each, 24 bytes a key while it lasts.
  // Errors: ribbon_shape_for_fpp(); kCapacity when the machine lacks the memory.
  template <std::ranges::input_range Range>
  static Result<RibbonFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    std::vector<Hash128> hashes;
    if constexpr (std::ranges::sized_range<Range>) {
      hashes.reserve(std::ranges::size(keys));
    }
    for (const auto& key : keys) {
      hashes.push_back(hash_key(key, options.hash));
    }
    return build_from_hashes(hashes, fpp, options);
  }
  // The same of ready hashes, of which the low words count.
  static Result<RibbonFilter> build_from_hashes(std::span<const Hash128> hashes, double fpp,
                                                const FilterOptions& options = {});

  // As BloomFilter::open() and view(), but that shards are verified on first touch (Verify::kHeaderOnly:
  // never). Errors: also kInvalidArgument for Access::kUpdateInPlace.
  static Result<RibbonFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<RibbonFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // The parts of one plan that hold neighbouring shards, in any order, as one: byte for byte what one build
  // of all keys gives when they are all there is. The metadata is that of the first part. Errors:
  // kInvalidArgument, naming what differs, or saying which shards are missing or twice there; kCorruption for
  // a damaged shard; kCapacity.
  static Result<RibbonFilter> concatenate(std::span<const RibbonFilter* const> parts);
  // The same as a file, without a copy in memory.
  static Status concatenate(std::span<const RibbonFilter* const> parts, const std::string& path,
                            const SaveTo& to = {});

  bool may_contain(const Hash128& hash) const;
  template <Key K>
  bool may_contain(const K& key) const {
    return may_contain(hash(key));
  }
  // Answers as in BloomFilter.
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

  // Ok, or what is known to be damaged: which shard of those touched so far. Free.
  Status status() const;
  // Verifies every shard (about 10 GB/s), then status().
  Status verify() const;

  // The narrower of its two fingerprint widths, r.
  std::uint32_t columns() const;
  // Shards of the plan, and which of them are here.
  std::uint32_t shard_count() const;
  std::uint32_t first_shard() const;
  std::uint32_t held_shards() const;
  bool is_whole() const { return held_shards() == shard_count(); }

  // The keys of a known set that its exception column rejects (ribbon_exceptions.h), and the bytes it takes;
  // 0 without one.
  std::uint64_t rejected_keys() const;
  std::uint64_t column_bytes() const;

  // 0 without keys, rejected ones too; otherwise the fpp it was made for: shards take what keys there are, so
  // that it hardly depends on how many those are (a hundred times the capacity may double it).
  double current_fpp() const;
  // 1: a ribbon has no slots to spare.
  double fill_ratio() const { return 1; }
  // Of distinct keys, exactly, as they were counted when it was built.
  double estimated_count() const { return static_cast<double>(inserted()); }
  // Never: its fpp does not depend on how many keys there are.
  bool over_capacity() const { return false; }

 private:
  friend class RibbonBuilder;
  friend class RibbonExceptionBuilder;

  RibbonFilter(std::unique_ptr<FilterBody> body, std::vector<RibbonShard> shards, const OpenOptions& options);
  static Result<RibbonFilter> from_body(std::unique_ptr<FilterBody> body, const OpenOptions& options);
  // Opens the column that the body brings.
  Status open_column(const OpenOptions& options);
  static Result<RibbonFilter> view_column(std::span<const std::byte> bytes, const OpenOptions& options);
  // Takes over a ribbon of the members' turned hashes that rejects `rejected_keys`. Errors: kInvalidArgument.
  Status set_exception_column(RibbonFilter column, std::uint64_t rejected_keys);
  bool has_exceptions() const { return column_bytes() + exception_count() != 0; }
  bool column_may_contain(const Hash128& hash) const;
  Status column_status() const;
  void clear_rejected(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  struct Joined;
  static Status join_next(const RibbonFilter& part, Joined& joined);
  static Result<Joined> join(std::span<const RibbonFilter* const> parts);

  struct Shards;
  std::unique_ptr<Shards> shards_;
};

}  // namespace bloomery
