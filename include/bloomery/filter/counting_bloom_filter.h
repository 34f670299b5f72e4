// The counting Bloom filter: a Bloom filter of counters instead of bits, so that keys can be removed.
//
// Example:
//    auto filter = CountingBloomFilter::for_capacity(1'000'000, 0.01);  // a Result<CountingBloomFilter>
//    filter->insert("a key");
//    const bool maybe = filter->may_contain("a key");      // true, until the key is removed
//    const auto count = filter->count_at_most("a key");    // 1, or more by chance
//    const bool removed = filter->remove("a key");         // true
//    const bool refused = !filter->remove("another");      // certainly absent: nothing was changed
//
// Layout. There are m counters of 4 bits. Counter i is bits 4 (i mod 16) to 4 (i mod 16) + 3 of the
// little-endian word i/16. A key has the k positions of a BloomFilter of m bits; it may hit one position
// several times.
//
//   insert    adds to each counter the number of times that the key hits it
//   remove    subtracts the same
//   query     answers maybe if all counters of the key are above 0
//
// So the fpp is that of a Bloom filter of m bits and k hash functions with the present keys, at four times
// the space.
//
// Saturation. A counter at 15 is saturated: it means 15 or more and never changes again, because the excess
// is unknown. In a filter that is filled to its capacity with different keys, fewer than two counters in
// 10^15 are saturated, if sizing made its shape. A key that is inserted 15 times saturates all its counters
// and can never be removed. saturated_count() returns the number of saturated counters.
//
// Invariant: every counter that is not saturated is the sum of the hits of the present keys. So a present
// key is answered maybe.
//
// Contract of remove(). REMOVE ONLY WHAT WAS INSERTED, once for each insert that has returned. The filter
// refuses a key that is certainly absent: one of its counters is lower than the key would have made it. For
// any other key the filter only knows *maybe*. Removing a false positive subtracts counts of other keys,
// and those may become false negatives. No filter of this size can prevent it. A filter that stores less of
// a key than distinguishes it from all others looks the same after inserting either of two such keys, so it
// removes both or neither. If removals cannot be trusted, query an exact set first.
//
// Cost: a key touches k random cache lines and needs 5.8 bits times log2(1/fpp), since a counter has 4 bits
// where a Bloom filter has one. Batches overlap the latencies of the cache lines.
//
// Threads:
//   - insert, remove, may_contain, count_at_most, test_and_insert and their batches may run concurrently in
//     any number of threads.
//   - Inserts and queries need no lock.
//   - One mutex serializes removers; a batch releases it now and then. Only removers lower counters, so the
//     counters that a remover has checked cannot fall before it finishes.
//   - A key whose insert has returned, and that nobody removes, is answered maybe, whatever other keys are
//     inserted and removed meanwhile.
//   - Remove a key only after an insert of it has returned. During its removal, queries for it may answer
//     either.
//   - If several threads call test_and_insert() for one key at once, exactly one of them gets "new". The call
//     acquires one of 64 locks, chosen by the hash.
//   - merge(), clear(), save() and moving the filter must run alone, except that save() may run concurrently
//     with queries.
//   - Counts may lag behind.
//
// Source: Fan, Cao, Almeida and Broder, "Summary Cache: A Scalable Wide-Area Web Cache Sharing Protocol",
// IEEE/ACM Transactions on Networking 8(3), 2000. Section V uses counters of 4 bits and explains why these
// are enough.
//
// Limits: the filter does not know a key's exact count, list its keys, grow, expire keys, or resist keys
// chosen by someone who knows the seed and can saturate counters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/build_filter.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/filter/typed_calls.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

class CountingBloomFilter : public NativeFilter,
                            public TypedCalls<CountingBloomFilter>,
                            public TypedRemovals<CountingBloomFilter> {
 public:
  // Inserts are never refused.
  static constexpr bool kMayRefuse = false;

  // Makes an empty filter for at most `capacity` distinct keys at a time at `fpp`. It has as many counters
  // as BloomFilter has bits. Errors: kInvalidArgument for a capacity or fpp out of range; shape_for_fpp()
  // states the ranges. Also kCapacity, with both numbers, if the machine lacks the memory.
  static Result<CountingBloomFilter> for_capacity(std::uint64_t capacity, double fpp,
                                                  const FilterOptions& options = {});
  // Makes the largest empty filter of at most `byte_limit` bytes. Its capacity is the number of keys that
  // it holds at `fpp`.
  static Result<CountingBloomFilter> for_bytes(std::uint64_t byte_limit, double fpp,
                                               const FilterOptions& options = {});
  // Makes an empty filter of exactly this shape for `capacity` keys; the shape's `bits` is the number of
  // counters. Its target fpp is the resulting one. Errors: kInvalidArgument for an impossible shape
  // (check_shape()).
  static Result<CountingBloomFilter> for_shape(const BloomShape& shape, std::uint64_t capacity,
                                               const FilterOptions& options = {});
  // Makes a filter of all keys of a range. Its capacity is the number of keys in the range, repeats included.
  template <std::ranges::input_range Range>
  static Result<CountingBloomFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    return build_filter<CountingBloomFilter>(keys, fpp, options);
  }

  // Opens a native file, with the options and errors of BloomFilter::open(). With Access::kUpdateInPlace,
  // inserts and removes change the file.
  //
  // In a file that an interrupted update left dirty, some counters may predate the update and some not. A
  // key that was in before, and was not removed in the update, is in. But a key that the update inserted or
  // removed may be half in, and removing it (again) would subtract counts of other keys.
  //
  // With accept_dirty, open() therefore saturates every counter that is not 0. Whatever such a filter may
  // contain then, it may contain for ever, and it is safe to repeat the update. Only keys inserted from
  // then on can be removed. Access::kMap and kMapLocked then copy the payload.
  static Result<CountingBloomFilter> open(const std::string& path, const OpenOptions& options = {});
  // Opens bytes in memory. With Access::kMap they are not copied and must outlive the filter; with kCopy
  // they are copied.
  static Result<CountingBloomFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Everything that changes counters has the precondition is_writable().
  //
  // Inserts the key once more and withdraws its exception. Returns true; this filter never refuses.
  // Lock-free; may run concurrently with any call.
  bool insert(const Hash128& hash);
  // Lock-free; may run concurrently with any call.
  bool may_contain(const Hash128& hash) const;
  // Inserts the key, also if it is in, and returns whether it was certainly new. A false positive is
  // answered "not new" even for its first insert. Acquires a lock; may run concurrently with any call.
  TestedInsert test_and_insert(const Hash128& hash);
  // Removes one insertion of the key: lowers its counters, except saturated ones, and returns true.
  //
  // Returns false, and changes nothing, if the key is certainly absent: it is an exception, or one of its
  // counters is lower than the number of times that the key hits it. The result may be false for a key for
  // which may_contain() returns true.
  //
  // Precondition: the key was inserted and not removed since, or it is certainly absent. Excludes other
  // removers; may run concurrently with any call.
  bool remove(const Hash128& hash);
  // Returns an upper bound of the key's count, inserts less removes. It is the least floor(counter / hits)
  // over the key's counters that are not saturated, 0 to 14, and 0 for an exception. Returns nothing if all
  // of its counters are saturated, since any count is then possible. The bound exceeds the true count only
  // if the key shares every counter with other keys. Lock-free; may run concurrently with any call.
  std::optional<std::uint64_t> count_at_most(const Hash128& hash) const;

  // These accept keys of any type (typed_calls.h).
  using TypedCalls::insert;
  using TypedCalls::may_contain;
  using TypedCalls::test_and_insert;
  using TypedRemovals::count_at_most;
  using TypedRemovals::remove;

  // Batches are equivalent to single calls in order, also with threads. The answer for key i is bit i mod
  // 64 of answers[i / 64]; bits beyond the last key are cleared. No insert is refused, so the batches that
  // insert return 0. Precondition: answers.size() >= answer_words(hashes.size()).
  std::uint64_t insert_batch(std::span<const Hash128> hashes, Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Answers 1 for "new": of equal keys in one batch the first is new.
  std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                                      Sharing sharing = Sharing::kShared);
  // Answers 1 for a removed key. Returns the number of refused keys.
  std::uint64_t remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);

  using NativeFilter::clear;

  // Adds the counters of `other`, which must have the same plan; the sums saturate. So every key has the
  // sum of its counts. Errors: kInvalidArgument, naming all differences.
  Status merge(const CountingBloomFilter& other);

  // The shape's `bits` is the number of counters, m.
  const BloomShape& shape() const { return shape_; }

  // These are computed from the fill, the share of counters above 0; each call reads all counters once.
  double fill_ratio() const;
  double current_fpp() const;
  // Estimates the number of distinct keys in the filter.
  double estimated_count() const;
  // Returns the number of counters at 15, which never change.
  std::uint64_t saturated_count() const;
  // Returns true if the filter holds more keys than it was made for. Two conditions must hold: more keys
  // were inserted, and by the fill clearly more of them are distinct.
  bool over_capacity() const;

 private:
  CountingBloomFilter(const BloomShape& shape, std::unique_ptr<FilterBody> body);
  static Result<CountingBloomFilter> empty(const BloomShape& shape, std::uint64_t capacity, double fpp,
                                           const FilterOptions& options);
  static Result<CountingBloomFilter> from_body(std::unique_ptr<FilterBody> body);
  std::uint64_t non_zero_count() const;

  BloomShape shape_;
  std::uint64_t* words_;
};

}  // namespace bloomery
