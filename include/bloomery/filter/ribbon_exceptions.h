// A ribbon without false positives on a known set W, for about 2 fpp bits per key of W.
//
// Example:
//    auto filter = build_with_exceptions(keys, absent, 0.01);   // keys of any types that append_key() knows
//
// The steps are:
//
//   1. The ribbon is built for twice the fpp.
//   2. The keys of W that it matches ("survivors") and all members are built into one more column. The
//      column is a ribbon with an fpp of 1/2 that rejects the survivors (RibbonBuilder). It halves the fpp
//      again and denies every key of W.
//   3. Survivors that share their 63 bits with a member are added to the table of exceptions
//      (exceptions.h), which compares all 128 bits.
//
// The column uses the high word of the hash, so it is independent of the ribbon. It is only queried for
// keys that the ribbon matches.
//
// For streams: build the ribbon (RibbonBuilder, exception_ribbon_fpp) and find the keys of W that it
// matches (append_matching). Then pass all members once more to ExceptionCandidates and
// RibbonExceptionBuilder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/exceptions.h"
#include "bloomery/filter/ribbon_builder.h"
#include "bloomery/filter/ribbon_filter.h"

namespace bloomery {

// Returns the fpp of the ribbon that becomes a filter of `fpp` by an exception column. Errors:
// kInvalidArgument from 1/2 on.
Result<double> exception_ribbon_fpp(double fpp);

class RibbonExceptionBuilder {
 public:
  // Begins a column for a ribbon of `members` keys and at most `candidates` exceptions. Of the options only
  // the hash, keys, memory, spool and threads are used. The column, about one bit a key, is held in memory
  // twice, in addition to that memory. Errors: kInvalidArgument for impossible options, or for ready
  // digests, whose high words are unknown.
  static Result<RibbonExceptionBuilder> create(std::uint64_t members, std::uint64_t candidates,
                                               const RibbonBuildOptions& options);

  // Adds members. Every member must be added, in any order; repeats are allowed. Errors: kIo or kNotFound
  // for the spool; kCapacity if the machine lacks the memory.
  Status add(std::span<const Hash128> members);

  // Adds the column to `filter`, a complete ribbon of these members, and so halves its fpp. `exceptions`
  // are the keys of W that the filter matches; none of them is a member. Call it once. Errors: kCapacity;
  // kIo or kCorruption of the spool; kInvalidArgument if the filter has a column already or is a part.
  Status finish(RibbonFilter& filter, std::span<const Hash128> exceptions,
                const RibbonBuilder::Progress& progress = {}, const std::atomic<bool>* cancelled = nullptr);

 private:
  explicit RibbonExceptionBuilder(RibbonBuilder builder) : builder_(std::move(builder)) {}

  RibbonBuilder builder_;
};

// Builds a ribbon of `members`, in memory, that denies every key of `exceptions`. Errors: kCapacity if the
// machine lacks the memory; kInvalidArgument if a key is in both sets, from an fpp of 1/2 on, and for
// values out of the ranges of ribbon_shape_for_fpp().
Result<RibbonFilter> build_from_hashes_with_exceptions(std::span<const Hash128> members,
                                                       std::span<const Hash128> exceptions, double fpp,
                                                       const FilterOptions& options = {});

template <std::ranges::input_range Members, std::ranges::input_range Exceptions>
Result<RibbonFilter> build_with_exceptions(const Members& members, const Exceptions& exceptions, double fpp,
                                           const FilterOptions& options = {}) {
  const auto hashes_of = [&options](const auto& keys) {
    std::vector<Hash128> hashes;
    for (const auto& key : keys) {
      hashes.push_back(hash_key(key, options.hash));
    }
    return hashes;
  };
  return build_from_hashes_with_exceptions(hashes_of(members), hashes_of(exceptions), fpp, options);
}

}  // namespace bloomery
