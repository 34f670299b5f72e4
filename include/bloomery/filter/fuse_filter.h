// The fuse filter: for sets that do not change and are queried often.
//
// Example:
//    auto filter = FuseFilter::build(keys, 1.0 / 256);   // 9.04 bits per key; a ribbon needs 8.03
//    const bool maybe = filter->may_contain("a key");
//
// It is a binary fuse filter in independent shards. A query reads three cells (BlockedSetting::kFast) or four
// (kDense, which needs 5 per cent less memory) of as many bits as a fingerprint has, without a branch. The
// fpp is 2^-b for b from 4 to 32; another one is rounded down. fuse_sizing.h has the sizes, and
// src/filter/fuse/fuse_kernel.h and docs/formats/native.md define the cells of a key.
//
// The filter is static: keys are inserted when it is built, and a changed set is built again. A build cannot
// fail: a key whose equation cannot be solved is stored by its hash. FuseBuilder accepts streams of any
// length in bounded memory. The bytes do not depend on the order or the repeats of keys.
//
// Damage. open() verifies the header and the directory. A shard's own checksum is verified on the first query
// that reaches the shard. A damaged shard answers maybe to everything, and status() reports it from then on.
// A part of a filter (StaticBuildOptions::part) answers maybe for the keys of other parts.
//
// Threads: const calls may run concurrently.
//
// Limits: the filter does not add or remove keys, and does not resist keys chosen by someone who knows the
// seed.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/fuse_inline.h"
#include "bloomery/filter/fuse_sizing.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/typed_view.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

struct FuseShard;
struct ShardJoin;

class FuseFilter : public NativeFilter, public TypedViews<FuseFilter> {
 public:
  FuseFilter(FuseFilter&&) noexcept;
  FuseFilter& operator=(FuseFilter&&) noexcept;
  ~FuseFilter();

  // Builds a filter of all keys of a range, in memory. Errors: kInvalidArgument for values out of the ranges
  // of fuse_shape_for_fpp(); kCapacity if the machine lacks the memory.
  template <std::ranges::input_range Range>
  static Result<FuseFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    std::vector<Hash128> hashes;
    if constexpr (std::ranges::sized_range<Range>) {
      hashes.reserve(std::ranges::size(keys));
    }
    for (const auto& key : keys) {
      hashes.push_back(hash_key(key, options.hash));
    }
    return build_from_hashes(hashes, fpp, options);
  }
  // Builds a filter of ready hashes, of which only the low words count.
  static Result<FuseFilter> build_from_hashes(std::span<const Hash128> hashes, double fpp,
                                              const FilterOptions& options = {});

  // Opens a filter with the options and errors of BloomFilter::open() and view(), but verifies each shard on
  // first use, and never with Verify::kHeaderOnly. Errors: also kInvalidArgument for Access::kUpdateInPlace.
  static Result<FuseFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<FuseFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Joins parts of one plan that hold neighbouring shards, as RibbonFilter::concatenate().
  static Result<FuseFilter> concatenate(std::span<const FuseFilter* const> parts);
  static Status concatenate(std::span<const FuseFilter* const> parts, const std::string& path,
                            const SaveTo& to = {});

  bool may_contain(const Hash128& hash) const {
    const bool matches = matches_cells(hash);
    return has_exceptions() ? matches && !is_exception(hash) : matches;
  }
  template <Key K>
  bool may_contain(const K& key) const {
    if constexpr (std::integral<K>) {
      if (asks_inline()) {
        return may_contain(Hash128{.low = short_hash(key), .high = 0});  // without exceptions it has no use
      }
    }
    return may_contain(hash(key));
  }
  // Batch queries, with the answer bitmap of BloomFilter.
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // The same with low words only. Precondition: there are no exceptions, which are whole hashes.
  void may_contain_batch(std::span<const Hash64> hashes, std::span<std::uint64_t> answers) const;

  // Returns Ok, or which of the shards used so far is damaged. Costs constant time.
  Status status() const;
  // Verifies every shard (about 10 GB/s), and returns status().
  Status verify() const;

  // Returns the plan. Its setting decides the number of cells of a key.
  FuseShape shape() const;
  // The number of shards in the plan, and which of them this filter holds.
  std::uint32_t shard_count() const;
  std::uint32_t first_shard() const;
  std::uint32_t held_shards() const;
  bool is_whole() const { return held_shards() == shard_count(); }
  // Returns the keys that are stored by their hashes, because their cells could not be solved.
  std::uint64_t keys_set_aside() const;

  // Returns 0 without keys, otherwise 2^-b.
  double current_fpp() const;
  // Returns 1, because the filter accepts no keys.
  double fill_ratio() const { return 1; }
  // Returns the exact number of distinct keys, as counted when the filter was built.
  double estimated_count() const { return static_cast<double>(inserted()); }
  // Returns false, because the fpp does not depend on the number of keys.
  bool over_capacity() const { return false; }

 private:
  friend class FuseBuilder;
  friend struct ShardJoin;

  FuseFilter(std::unique_ptr<FilterBody> body, std::vector<FuseShard> shards, const OpenOptions& options);
  static Result<FuseFilter> from_body(std::unique_ptr<FilterBody> body, const OpenOptions& options);

  BLOOMERY_FORCE_INLINE bool matches_cells(const Hash128& hash) const {
    const FuseQuery::Shard* shard = query_.shards;
    if (query_.shard_count != 1) [[unlikely]] {
      const std::uint64_t index = query_.shard_of(hash.low);
      if (index >= query_.held) [[unlikely]] {
        return may_contain_by_call(hash);
      }
      shard += index;
    }
    const std::byte* const cells = shard->cells.load(std::memory_order_relaxed);
    return cells != nullptr ? query_.matches(*shard, cells, hash.low) : may_contain_by_call(hash);
  }
  bool may_contain_by_call(Hash128 hash) const;

  struct Shards;
  std::unique_ptr<Shards> shards_;
  FuseQuery query_;  // its shards are in *shards_
};

}  // namespace bloomery
