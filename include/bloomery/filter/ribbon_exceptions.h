// A ribbon without a single positive on a known set W, for about 2 fpp bits a key of W.
//
//   auto filter = build_with_exceptions(black, white, 0.01);   // keys of any types that append_key() knows
//
// The ribbon itself is made for twice the fpp. The keys of W that it matches ("survivors") go, with all
// members, into one more column, a ribbon for an fpp of 1/2 that rejects the survivors (RibbonBuilder): it
// halves the fpp again and denies every key of W. The column works from the high word of the hash and so
// knows nothing of the rest; it is asked only about keys that the ribbon matches. Survivors that share their
// 63 bits with a member go to the table of exceptions (exceptions.h), which tells all 128 apart.
//
// For streams: build the ribbon (RibbonBuilder, exception_ribbon_fpp), find what it matches of W
// (append_matching), then let all members pass by ExceptionCandidates and RibbonExceptionBuilder once more.
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

// The fpp of the ribbon that an exception column makes one of `fpp`. Errors: kInvalidArgument from 1/2 on.
Result<double> exception_ribbon_fpp(double fpp);

class RibbonExceptionBuilder {
 public:
  // For a ribbon of `members` keys, and at most `candidates` exceptions. Of the options hash, keys, memory, spool
  // and threads count; the column itself, about a bit a key, is held in memory twice beside that. Errors: as
  // RibbonBuilder::create(); kInvalidArgument for ready digests, whose high words are not known.
  static Result<RibbonExceptionBuilder> create(std::uint64_t members, std::uint64_t candidates,
                                               const RibbonBuildOptions& options);

  // Every member, in any order, repeats too. Errors: as RibbonBuilder::add().
  Status add(std::span<const Hash128> members);

  // Gives `filter`, a whole ribbon of these members, its column; its fpp is halved. `exceptions` are those
  // keys of W that it matches, none of them a member. Once. Errors: as RibbonBuilder::finish();
  // kInvalidArgument when it has a column already or is a part.
  Status finish(RibbonFilter& filter, std::span<const Hash128> exceptions,
                const RibbonBuilder::Progress& progress = {}, const std::atomic<bool>* cancelled = nullptr);

 private:
  explicit RibbonExceptionBuilder(RibbonBuilder builder) : builder_(std::move(builder)) {}

  RibbonBuilder builder_;
};

// A ribbon of `members` that denies every key of `exceptions`, in memory. Errors: kInvalidArgument when a key
// is in both, from an fpp of 1/2 on, and as RibbonFilter::build().
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
