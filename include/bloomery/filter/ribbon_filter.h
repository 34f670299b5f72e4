// The ribbon filter: for sets that do not change, the filter with the fewest bits at any fpp.
//
// Example:
//    auto filter = RibbonFilter::build(keys, 1e-4);   // 13.42 bits per key; a Bloom filter needs 19.17
//    const bool maybe = filter->may_contain("a key");
//
// It is a bumped ribbon of width 64 in independent shards. From 10^6 keys on a key costs L + 0.022 bits and
// 0.2 per cent. L is at most 0.086 above log2(1/fpp); see ribbon_sizing.h. A set of at most 160 keys uses
// at most 16 slots more than it has keys. src/filter/ribbon/ribbon_kernel.h and docs/formats/native.md
// define the position of a key.
//
// The filter is static: keys are inserted when it is built, and a changed set is built again. RibbonBuilder
// accepts streams of any length in bounded memory, and keys that must be answered no. The bytes do not
// depend on the order or the repeats of keys.
//
// Damage. open() verifies the header and the directory. A shard's own checksum is verified on the first
// query that reaches the shard (about 10 us). A damaged shard answers maybe to everything, and status()
// reports it from then on. A part of a filter (RibbonBuildOptions::part) answers maybe for the keys of
// other parts.
//
// Threads: const calls may run concurrently.
//
// Limits: the filter does not add or remove keys, and does not resist keys chosen by someone who knows the
// seed.
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
struct ShardJoin;

class RibbonFilter : public NativeFilter, public TypedViews<RibbonFilter> {
 public:
  RibbonFilter(RibbonFilter&&) noexcept;
  RibbonFilter& operator=(RibbonFilter&&) noexcept;
  ~RibbonFilter();

  // Builds a filter of all keys of a range, in memory. Costs O(1) time per key, and 24 bytes per key
  // meanwhile. Errors: kInvalidArgument for values out of the ranges of ribbon_shape_for_fpp(); kCapacity
  // if the machine lacks the memory.
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
  // Builds a filter of ready hashes, of which only the low words count.
  static Result<RibbonFilter> build_from_hashes(std::span<const Hash128> hashes, double fpp,
                                                const FilterOptions& options = {});

  // Opens a filter with the options and errors of BloomFilter::open() and view(), but verifies each shard
  // on first use, and never with Verify::kHeaderOnly. Errors: also kInvalidArgument for
  // Access::kUpdateInPlace.
  static Result<RibbonFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<RibbonFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Joins parts of one plan that hold neighbouring shards, in any order. If these are all parts, the result
  // is byte for byte that of one build of all keys. The metadata is that of the first part. Errors:
  //
  //   kInvalidArgument   the message names all differences, or which shards are missing or present twice
  //   kCorruption        a shard is damaged
  //   kCapacity          the machine lacks the memory
  static Result<RibbonFilter> concatenate(std::span<const RibbonFilter* const> parts);
  // Joins parts into a file, without a copy in memory. Errors: also kIo.
  static Status concatenate(std::span<const RibbonFilter* const> parts, const std::string& path,
                            const SaveTo& to = {});

  bool may_contain(const Hash128& hash) const;
  template <Key K>
  bool may_contain(const K& key) const {
    return may_contain(hash(key));
  }
  // Batch queries, with the answer bitmap of BloomFilter.
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

  // Returns Ok, or which of the shards used so far is damaged. Costs constant time.
  Status status() const;
  // Verifies every shard (about 10 GB/s), and returns status().
  Status verify() const;

  // Returns r, the narrower of the two fingerprint widths.
  std::uint32_t columns() const;
  // The number of shards in the plan, and which of them this filter holds.
  std::uint32_t shard_count() const;
  std::uint32_t first_shard() const;
  std::uint32_t held_shards() const;
  bool is_whole() const { return held_shards() == shard_count(); }

  // The number of keys of a known set that the exception column rejects (ribbon_exceptions.h), and the
  // column's bytes. Both are 0 without a column.
  std::uint64_t rejected_keys() const;
  std::uint64_t column_bytes() const;

  // Returns 0 without keys (rejected ones count), otherwise the fpp that the filter was made for. The fpp
  // hardly depends on the number of keys, since shards adapt to it. A hundred times the capacity may double
  // it.
  double current_fpp() const;
  // Returns 1, because a ribbon has no slots to spare.
  double fill_ratio() const { return 1; }
  // Returns the exact number of distinct keys, as counted when the filter was built.
  double estimated_count() const { return static_cast<double>(inserted()); }
  // Returns false, because the fpp does not depend on the number of keys.
  bool over_capacity() const { return false; }

 private:
  friend class RibbonBuilder;
  friend struct ShardJoin;
  friend class RibbonExceptionBuilder;

  RibbonFilter(std::unique_ptr<FilterBody> body, std::vector<RibbonShard> shards, const OpenOptions& options);
  static Result<RibbonFilter> from_body(std::unique_ptr<FilterBody> body, const OpenOptions& options);
  // Opens the exception column that the body holds.
  Status open_column(const OpenOptions& options);
  static Result<RibbonFilter> view_column(std::span<const std::byte> bytes, const OpenOptions& options);
  // Adopts a ribbon that rejects `rejected_keys` keys, built from the members' hashes with their words
  // swapped. Errors: kInvalidArgument.
  Status set_exception_column(RibbonFilter column, std::uint64_t rejected_keys);
  bool column_may_contain(const Hash128& hash) const;
  Status column_status() const;
  void clear_rejected(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;

  struct Shards;
  std::unique_ptr<Shards> shards_;
};

}  // namespace bloomery
