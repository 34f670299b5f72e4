// The quotient filter: keys can be removed, counted and listed, and the filter grows.
//
// Example:
//    auto filter = QuotientFilter::for_capacity(1'000'000, 0.001);  // a Result<QuotientFilter>
//    const bool in = filter->insert("a key");                // false: it is full, which takes many doublings
//    const bool maybe = filter->may_contain("a key");        // true, until the key is removed
//    const auto count = filter->count_at_most("a key");      // at least as often as it was inserted
//    const bool removed = filter->remove("a key");           // false: it was certainly absent
//
// The filter is the multiset of its keys' fingerprints, in segments. A segment is a quotient table of at
// most 2^17 slots, planned for a load factor of 95 %. This costs 12.7 bits per key at 1e-3 and 16.9 at
// 1e-4, for any number of keys from 10^5 on. The leading bits of a hash choose the segment, the next ones
// are the fingerprint. A full segment splits in two without access to the keys. So a call accesses one
// segment at any size, and no insert lasts longer than one split (milliseconds).
//
// Growth. Fingerprints keep their length, so the fpp rises with the number of keys: twice the capacity has
// twice the fpp. current_fpp() returns the present value. If the capacity may double, bits can be reserved
// for it (`growth_doublings`, one bit per key each); the fpp then stays at its target until it has doubled
// that often. Every split removes one bit from the fingerprints in the table, because the segment then
// implies this bit. When no bit is left, a full segment refuses keys: insert() returns false and nothing
// else changes. Memory is between half full and full, as all segments split at about the same time. Removed
// keys free slots, but segments are never joined.
//
// Contract of remove(). Remove only keys that were inserted and not removed since, as often as they were
// inserted. The filter removes a fingerprint, not a key. An absent key may share its fingerprint with a
// member, and removing it would make that member a false negative. The filter refuses what it can: an
// exception, and a key whose fingerprint is absent. No filter of its size can refuse more, because it knows
// only *maybe* of any other key; distinguishing them needs the memory of an exact set (Agarwala and Even,
// 2024). So the caller must know from elsewhere that the key was inserted.
//
// Counts. A key that was inserted twice uses two slots, and a key that was inserted more often mostly four.
// The counts of keys with the same fingerprint add up. A count of 2^24 - 1 is saturated: it may mean more,
// never changes again, and removes have no effect on it.
//
// Bytes. They depend only on the plan and the keys, if the filter only received keys, by insert and merge,
// in any order, and refused none. After removes, segments may be split that need not be.
//
// Threads: readers (may_contain, count, for_each, save and the like) may run concurrently; a writer must
// run alone.
//
// Limits: the filter does not join segments, and does not resist keys chosen by someone who knows the seed.
// Keys whose hashes share a prefix crowd a segment, which becomes slow and refuses keys.
//
// Sources: src/filter/quotient/quotient_table.h, src/filter/quotient/quotient_segments.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/build_filter.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/quotient_range.h"
#include "bloomery/filter/quotient_sizing.h"
#include "bloomery/filter/typed_calls.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

class QuotientSegments;

class QuotientFilter : public NativeFilter,
                       public TypedCalls<QuotientFilter>,
                       public TypedRemovals<QuotientFilter> {
 public:
  // Inserts may be refused.
  static constexpr bool kMayRefuse = true;

  // Makes an empty filter for `capacity` distinct keys at `fpp` at most. The fpp still holds after
  // options.growth_doublings doublings of the number of keys. Errors: kInvalidArgument for values out of
  // the ranges of quotient_shape_for_fpp(). Also kCapacity, with both numbers, if the machine lacks the
  // memory.
  static Result<QuotientFilter> for_capacity(std::uint64_t capacity, double fpp,
                                             const FilterOptions& options = {});
  // Makes an empty filter of exactly this shape; its doublings are used, not those of the options. Errors:
  // kInvalidArgument for an impossible shape; kCapacity, with both numbers, if the machine lacks the
  // memory.
  static Result<QuotientFilter> for_shape(const QuotientShape& shape, std::uint64_t capacity, double fpp,
                                          const FilterOptions& options = {});
  // Makes a filter of all keys of a range. Errors: also kCapacity if keys were refused.
  template <std::ranges::input_range Range>
  static Result<QuotientFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    return build_filter<QuotientFilter>(keys, fpp, options);
  }

  // Opens a filter with the options and errors of BloomFilter::open() and view(). Every word is read and
  // proved to belong to a valid table, even with Verify::kHeaderOnly, since other words could make calls
  // leave the table. This costs 10 to 20 ns a slot. Errors: also kInvalidArgument for
  // Access::kUpdateInPlace. To change a filter in a file, open it with kCopyLocked and save it over itself.
  static Result<QuotientFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<QuotientFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Everything that changes the filter has the precondition is_writable().
  //
  // Inserts a key `times` times (at least 1). Returns false, and changes nothing, if the filter is full.
  [[nodiscard]] bool insert(const Hash128& hash, std::uint64_t times = 1);
  bool may_contain(const Hash128& hash) const;
  // Inserts a key, and returns whether it was certainly new, or refused because the filter is full.
  TestedInsert test_and_insert(const Hash128& hash);
  // Returns false, and changes nothing, if the key is certainly absent. The contract at the top of this
  // file applies.
  bool remove(const Hash128& hash);
  // Returns an upper bound of the key's count, inserts less removes; 0 means that the key is certainly
  // absent. The result is always a number. From 2^24 - 1 on, the true count may be above it.
  std::optional<std::uint64_t> count_at_most(const Hash128& hash) const;

  // These accept keys of any type (typed_calls.h).
  using TypedCalls::insert;
  using TypedCalls::may_contain;
  using TypedCalls::test_and_insert;
  using TypedRemovals::count_at_most;
  using TypedRemovals::remove;

  // Batches are equivalent to single calls in order, with the answer bitmap of BloomFilter. The batches
  // that insert return the number of refused keys. Those that remove answer 1 for a removed key, and return
  // how many keys were certainly absent. Those that test and insert answer "new" for a refused key too. A
  // writer must run alone, whatever `sharing` says.
  [[nodiscard]] std::uint64_t insert_batch(std::span<const Hash128> hashes,
                                           Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  [[nodiscard]] std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers,
                                                    Sharing sharing = Sharing::kShared);
  std::uint64_t remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);

  // Calls `use` for every fingerprint in the filter, ascending by hash. Fingerprints of exceptions are
  // included.
  void for_each(const std::function<void(const QuotientRange&)>& use) const;

  using NativeFilter::clear;

  // Inserts every key of `other`, which must have the same plan; counts add up. After an error nothing has
  // changed. Errors: kInvalidArgument, naming all differences; kCapacity.
  Status merge(const QuotientFilter& other);

  const QuotientShape& shape() const;
  std::uint64_t segment_count() const;
  // Returns the load factor: the used slots divided by the slots that the segments have by plan, one per
  // quotient.
  double fill_ratio() const;
  // Returns the exact fpp of an absent key for the present content.
  double current_fpp() const;
  // Estimates the number of distinct keys from the distinct fingerprints.
  double estimated_count() const;
  // Returns true if the filter holds more distinct keys than its fpp is planned for.
  bool over_capacity() const;

 private:
  explicit QuotientFilter(std::unique_ptr<FilterBody> body, std::unique_ptr<QuotientSegments> segments);
  static Result<QuotientFilter> from_body(std::unique_ptr<FilterBody> body);
  bool insert_uncounted(const Hash128& hash, std::uint64_t times = 1);
  void note_keys();

  QuotientSegments* segments_;  // owned by the body
};

}  // namespace bloomery
