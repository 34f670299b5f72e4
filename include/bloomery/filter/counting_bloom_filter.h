// The counting Bloom filter: a Bloom filter of counters instead of bits, so that keys can be removed.
//
//   auto filter = CountingBloomFilter::for_capacity(1'000'000, 0.01);   // Result<CountingBloomFilter>
//   filter->insert("a key");
//   filter->may_contain("a key")         true, until it is removed
//   filter->count_at_most("a key")       1, or more by chance
//   filter->remove("a key")              true
//   filter->remove("another")            false: it is certainly absent, and nothing was changed
//
// m counters of 4 bits; counter i is bits 4 (i mod 16) to 4 (i mod 16) + 3 of the little-endian word i/16. A
// key has the k positions that BloomFilter would give it among m bits; insert adds 1 to the counter of each
// (a position that the key hits t times gets t), remove subtracts the same, and a query asks whether all are
// above 0. The fpp is therefore that of a Bloom filter of m bits and k hash functions with the keys that are
// in, at four times the space.
//
// A counter goes no further than 15. One at 15 is saturated: it stands for 15 or more, and as no one knows
// for how much more it stays for ever. Filled to its capacity with different keys, a filter that sizing made
// has fewer than two counters in 10^15 there; a key inserted 15 times saturates all of its own, and is not
// forgotten again however often it is removed. saturated_count() tells.
//
// Invariant: every counter that is not saturated is the sum of the hits of the keys that are in; so a key
// that is in answers maybe. The contract that keeps it: REMOVE ONLY WHAT WAS INSERTED, once for each insert
// that has returned. Where some counter is lower than the key would have made it the key is certainly absent,
// and remove refuses. But of any other key the filter only knows that it may be in: removing a false positive
// takes counts that belong to other keys, which may then be answered no although they are in. No filter of
// this size can tell: one that remembers less of a key than sets it apart from all other keys looks the same
// after inserting either of two of them, so it removes both or neither. Where removals are not to be trusted
// an exact set must be asked first.
//
// Cost: k random cache lines a key, and 4 bits where a Bloom filter takes one: 5.8 bits times log2(1/fpp) a
// key. Batches hide the latency of the cache lines behind each other.
//
// Threads: insert, remove, may_contain, count_at_most, test_and_insert and their batches may run together
// from any number of threads. Inserts and queries take no lock; removers take turns (one mutex; a batch gives
// it back now and then), since only they lower counters and what one has looked at must hold until it is
// done. A key whose insert has returned, and that is not being removed, answers maybe whatever other keys are
// inserted and removed meanwhile. Remove a key only after an insert of it has returned. While a key is being
// removed, queries for it answer either. Exactly one of several concurrent test_and_insert() calls for one
// key hears "new"; that takes a lock (one of 64, by hash). merge(), clear(), save() and moving the filter
// need it alone (save may run beside queries). The counts may lag behind.
//
// Source: Fan, Cao, Almeida and Broder, "Summary Cache: A Scalable Wide-Area Web Cache Sharing Protocol",
// IEEE/ACM Transactions on Networking 8(3), 2000, section V: counters of 4 bits, and why these are enough.
// What it does not do: tell a key's exact count, list its keys, grow, forget by age, or resist keys chosen by
// someone who knows the seed (who can saturate counters).
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
#include "bloomery/filter/typed_view.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

class CountingBloomFilter : public NativeFilter, public TypedViews<CountingBloomFilter> {
 public:
  // Whether an insert may be refused.
  static constexpr bool kMayRefuse = false;

  // An empty filter for `capacity` distinct keys at a time at `fpp`: as many counters as BloomFilter takes
  // bits (see shape_for_fpp() for ranges and errors). kCapacity when the machine lacks the memory, with both
  // numbers.
  static Result<CountingBloomFilter> for_capacity(std::uint64_t capacity, double fpp,
                                                  const FilterOptions& options = {});
  // The largest empty filter of at most `byte_limit` bytes; its capacity is what it holds at `fpp`.
  static Result<CountingBloomFilter> for_bytes(std::uint64_t byte_limit, double fpp,
                                               const FilterOptions& options = {});
  // An empty filter of exactly this shape, whose `bits` are the number of counters, for `capacity` keys; its
  // target fpp is what results. Errors: check_shape().
  static Result<CountingBloomFilter> for_shape(const BloomShape& shape, std::uint64_t capacity,
                                               const FilterOptions& options = {});
  // A filter of all keys of a range; equal keys count once each.
  template <std::ranges::input_range Range>
  static Result<CountingBloomFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    return build_filter<CountingBloomFilter>(keys, fpp, options);
  }

  // Opens a native file, as BloomFilter::open() does. Access::kUpdateInPlace takes inserts and removes.
  //
  // A file that an interrupted update left dirty may hold some counters from before, some from after: a key
  // that was in when the update began, and was not removed in it, is in. But a key that was inserted or
  // removed in it may be in by half, so that removing it (again) would take counts of others. Opened with
  // accept_dirty, every counter that is not 0 is therefore saturated first: what it may contain then it may
  // contain for ever, repeating the update is safe, and only keys inserted from then on are forgotten when
  // they are removed. Access::kMap and kMapLocked then copy the payload.
  static Result<CountingBloomFilter> open(const std::string& path, const OpenOptions& options = {});
  // The same over bytes in memory, which must outlive the filter and are not copied (Access::kMap) or copied
  // (kCopy).
  static Result<CountingBloomFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Precondition of everything that changes counters: is_writable().
  //
  // One more of the key is in, and its exception is withdrawn. Never refuses: true. Beside anything,
  // lock-free.
  bool insert(const Hash128& hash);
  // Beside anything, lock-free.
  bool may_contain(const Hash128& hash) const;
  // Inserts, once more also when the key is in, and returns whether it was certainly new. A key that was
  // taken for present (a false positive) hears "not new" from its first call on. Beside anything; locks.
  TestedInsert test_and_insert(const Hash128& hash);
  // Takes out one of the key: lowers its counters, but for saturated ones, and returns true. Returns false
  // when the key is certainly absent, and nothing has changed: it is an exception, or one of its counters is
  // lower than the times that the key hits it. It may return false for a key that may_contain() answers maybe
  // to. Precondition: the key was inserted, and is certainly absent or in (see above). Beside anything; locks
  // out other removers.
  bool remove(const Hash128& hash);
  // An upper bound of how often the key is in, inserts less removes: the least floor(counter / hits) over
  // those of its counters that are not saturated, from 0 to 14; 0 for an exception. Nothing when all of its
  // counters are saturated, which leaves any number possible. It is above the true count only where every
  // counter is shared with other keys. Beside anything, lock-free.
  std::optional<std::uint64_t> count_at_most(const Hash128& hash) const;

  // Keys of any type that append_key() knows. Precondition: the hash is not kReadyDigest.
  template <Key K>
  bool insert(const K& key) {
    return insert(hash(key));
  }
  template <Key K>
  bool may_contain(const K& key) const {
    return may_contain(hash(key));
  }
  template <Key K>
  TestedInsert test_and_insert(const K& key) {
    return test_and_insert(hash(key));
  }
  template <Key K>
  bool remove(const K& key) {
    return remove(hash(key));
  }
  template <Key K>
  std::optional<std::uint64_t> count_at_most(const K& key) const {
    return count_at_most(hash(key));
  }

  // Batches: as the single calls in order, threads included. Answers go to bit i mod 64 of answers[i / 64];
  // bits beyond the last key are cleared. Precondition: answers.size() >= answer_words(hashes.size()). No
  // insert is refused: 0.
  std::uint64_t insert_batch(std::span<const Hash128> hashes, Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Answers 1 for "new": of equal keys in one batch the first is new.
  std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                                      Sharing sharing = Sharing::kShared);
  // Answers 1 for removed. Returns how many were refused.
  std::uint64_t remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);

  using NativeFilter::clear;

  // Adds every key of `other`, which must have the same plan, as often as it is in: counters are added, and
  // saturate. Errors: kInvalidArgument, naming all that differs.
  Status merge(const CountingBloomFilter& other);

  // Its bits are the number of counters, m.
  const BloomShape& shape() const { return shape_; }

  // From the fill, the share of counters above 0; each reads all counters once.
  double fill_ratio() const;
  double current_fpp() const;
  // Of distinct keys that are in.
  double estimated_count() const;
  // Counters at 15, which stay.
  std::uint64_t saturated_count() const;
  // More keys are in it than it was made for: more were given, and, by the fill, clearly more of them differ.
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
