// A filter of whatever type the file says, for tools that take what they are given.
//
// One alternative per type; what all of them do is forwarded, what only one does is behind std::visit on
// `variant()`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/counting_bloom_filter.h"
#include "bloomery/filter/exact_set.h"
#include "bloomery/filter/quotient_filter.h"
#include "bloomery/filter/ribbon_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_filter.h"

namespace bloomery {

class AnyFilter {
 public:
  using Variant = std::variant<BloomFilter, BlockedBloomFilter, RibbonFilter, CountingBloomFilter,
                               QuotientFilter, ScalableFilter, WindowedFilter, ExactSet>;

  AnyFilter(BloomFilter filter) : filter_(std::move(filter)) {}         // NOLINT(runtime/explicit): it is one
  AnyFilter(BlockedBloomFilter filter) : filter_(std::move(filter)) {}  // NOLINT(runtime/explicit): it is one
  AnyFilter(RibbonFilter filter) : filter_(std::move(filter)) {}        // NOLINT(runtime/explicit): it is one
  AnyFilter(CountingBloomFilter filter)
      : filter_(std::move(filter)) {}                               // NOLINT(runtime/explicit): it is one
  AnyFilter(QuotientFilter filter) : filter_(std::move(filter)) {}  // NOLINT(runtime/explicit): it is one
  AnyFilter(ScalableFilter filter) : filter_(std::move(filter)) {}  // NOLINT(runtime/explicit): it is one
  AnyFilter(WindowedFilter filter) : filter_(std::move(filter)) {}  // NOLINT(runtime/explicit): it is one
  AnyFilter(ExactSet set) : filter_(std::move(set)) {}              // NOLINT(runtime/explicit): it is one

  // As the open() and view() of the type that the header names.
  static Result<AnyFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<AnyFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  const Variant& variant() const { return filter_; }
  Variant& variant() { return filter_; }
  // Plan, counts and file.
  NativeFilter& native();
  const NativeFilter& native() const;

  // "bloom", "blocked:fast", "blocked:dense", "ribbon", "counting", "quotient", "scalable", "windowed" or
  // "exact".
  std::string type_name() const;
  // The payload's, or of a bloom filter m. Of a counting filter 4 for each counter.
  std::uint64_t bits() const;
  // k; of a ribbon the columns of its narrower width; of a quotient filter the remainder bits of its plan; of
  // a scalable filter that of its first layer.
  std::uint32_t hash_count() const;
  // A static filter takes no keys once it is built.
  bool is_static() const;
  // It takes keys out again.
  bool can_remove() const;
  // Access::kUpdateInPlace opens it. The others are opened with kCopyLocked and saved over their file.
  bool updates_in_place() const;
  // Keys that may be inserted until it is full by its plan: any number where that grows or forgets by count.
  std::uint64_t room() const;

  // An exact set that has outgrown its threshold becomes the filter of its plan, and takes the rest.
  // Precondition of both inserts: !is_static(). How many keys were refused: they are not in. A quotient
  // filter refuses when it is full, a scalable one without memory for its next layer, an exact set without
  // memory for what it becomes. (Of a quotient filter or an exact set whoever writes is alone, and a scalable
  // one is shared, whatever `sharing` says.)
  std::uint64_t insert_batch(std::span<const Hash128> hashes, Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Answers 1 for keys that an exception is of use for: those it matches, and, of an exact set, those that
  // are not in, since what it becomes may match them.
  void needs_exception_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  bool may_contain(const Hash128& hash) const;
  // Answers 1 for removed, 0 for refused: the key is certainly absent. Returns how many were refused.
  // Remove only what was inserted: see the filter's own header. Precondition: can_remove().
  std::uint64_t remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);
  // As NativeFilter's.
  Status add_as_exceptions(std::span<const Hash128> hashes) { return native().add_as_exceptions(hashes); }
  bool insert(const Hash128& hash);  // false: refused
  // Errors: kInvalidArgument, naming what differs, types included. Of ribbons: RibbonFilter::concatenate().
  Status merge(const AnyFilter& other);

  // Keys it would match are denied: exceptions, or those that a ribbon's exception column rejects.
  bool has_exceptions() const;

  // Ok, or the damage found so far in a filter that verifies itself while it is asked.
  Status status() const;
  // Verifies what open() has left for later.
  Status verify() const;

  // Of bits or counters set; 1 for a ribbon, which has none to spare; of a quotient filter its load.
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  bool over_capacity() const;

 private:
  // Becomes what its exact set has outgrown to. Errors: nothing has changed then.
  Status outgrow(const ExactSet& set);
  // Takes the place of its exact set.
  void become(AnyFilter grown);
  // Merges where one of the two is an exact set.
  Status merge_exact(const AnyFilter& other);

  Variant filter_;
};

}  // namespace bloomery
