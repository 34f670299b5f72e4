// The quotient filter: keys can be taken out again, counted, listed, and it grows.
//
//   auto filter = QuotientFilter::for_capacity(1'000'000, 0.001);      // Result<QuotientFilter>
//   filter->insert("a key");                 false: full, which takes many doublings
//   filter->may_contain("a key")             true, until it is removed
//   filter->remove("a key")                  false: it was certainly not in
//   filter->count_at_most("a key")           at least as often as it was inserted
//
// The multiset of its keys' fingerprints, in segments: quotient tables of at most 2^17 slots, planned for a
// load of 95 %. 12.7 bits per key at 1e-3, 16.9 at 1e-4, for any number of keys from 10^5 on. The leading
// bits of a hash choose the segment, the next ones the fingerprint. A segment that is full splits in two,
// without its keys: so a call looks at one place at any size, and no insert takes longer than one split
// (milliseconds).
//
// Growth. Fingerprints keep their length, so that fpp is as the number of keys: twice the capacity has twice
// the fpp, and current_fpp() says where it stands. For a capacity that may double, bits can be reserved
// (`growth_doublings`, a bit a key each): fpp then stays at the target until it has doubled as often. Every
// split finds a bit of the fingerprint by the segment that the table had to keep before; when none is left to
// give, a full segment refuses keys: insert() answers false, and nothing else changes. Memory is between half
// full and full, as all segments split at about one time; what is removed makes room, but joins no segments.
//
// Contract of remove(): only keys that were inserted and not removed since, as often as they were inserted. A
// fingerprint is taken out, not a key: a key that was never in may share one with a key that is, which would
// then be answered a wrong *no*. The filter refuses what it can: a key whose fingerprint is not in, an
// exception. It cannot refuse more, nor can any filter of its size: all that one knows of a key is *maybe*,
// and to tell a key that is in from one that only looks like it takes the memory of an exact set (Agarwala
// and Even, 2024). Keep to keys whose insertion is known from elsewhere.
//
// Counts. A key that is put in twice takes two slots, more often mostly four. Counts of keys with one
// fingerprint add up. A count of 2^24 - 1 may have been more: it stays there for ever, removes of it have no
// effect.
//
// Bytes follow from the keys that are in and the plan, for filters that only took keys (by insert and merge,
// in any order, none refused); once keys were removed, segments may be split that would not have to be.
//
// Threads: readers (may_contain, count, for_each, save and the like) among themselves; whoever writes is
// alone. What it does not do: resist keys chosen by someone who knows the seed (keys that begin alike crowd a
// segment, whose calls become slow and refuse), or join what has been split.
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
#include "bloomery/filter/typed_view.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

class QuotientSegments;

class QuotientFilter : public NativeFilter, public TypedViews<QuotientFilter> {
 public:
  // Whether an insert may be refused.
  static constexpr bool kMayRefuse = true;

  // An empty filter for `capacity` distinct keys at `fpp`, at most, also when the keys have doubled
  // options.growth_doublings times. Errors: quotient_shape_for_fpp(); kCapacity when the machine lacks the
  // memory, with both numbers.
  static Result<QuotientFilter> for_capacity(std::uint64_t capacity, double fpp,
                                             const FilterOptions& options = {});
  // An empty filter of exactly this shape, whose doublings are those that count. Errors: as above.
  static Result<QuotientFilter> for_shape(const QuotientShape& shape, std::uint64_t capacity, double fpp,
                                          const FilterOptions& options = {});
  // A filter of all keys of a range. Errors: also kCapacity, if keys were refused.
  template <std::ranges::input_range Range>
  static Result<QuotientFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    return build_filter<QuotientFilter>(keys, fpp, options);
  }

  // As BloomFilter::open() and view(). Every word is read and proved to be part of a table, also with
  // Verify::kHeaderOnly, since calls on other words might leave the table: 10 to 20 ns a slot. Errors: also
  // kInvalidArgument for Access::kUpdateInPlace: who changes a file opens it with kCopyLocked and saves it
  // over itself.
  static Result<QuotientFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<QuotientFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Precondition of everything that changes it: is_writable().
  //
  // Inserts a key `times` times (at least 1). False: full, nothing has changed.
  [[nodiscard]] bool insert(const Hash128& hash, std::uint64_t times = 1);
  bool may_contain(const Hash128& hash) const;
  // Inserts, and returns whether the key was certainly new, or refused since it is full.
  TestedInsert test_and_insert(const Hash128& hash);
  // False: the key is certainly absent, nothing has changed. See the contract above.
  bool remove(const Hash128& hash);
  // An upper bound of how often the key is in: what was inserted less what was removed; 0: it is certainly
  // absent. Always a number; from 2^24 - 1 on the true one may be above it (see above).
  std::optional<std::uint64_t> count_at_most(const Hash128& hash) const;

  // Keys of any type that append_key() knows. Precondition: the hash is not kReadyDigest.
  template <Key K>
  [[nodiscard]] bool insert(const K& key) {
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

  // Batches, with answers as in BloomFilter; the same as single calls, in order. Those that insert return how
  // many keys were refused, those that remove how many were certainly absent. test_and_insert answers "new"
  // for a refused key too, remove 1 for "removed".
  // Whoever writes is alone, whatever `sharing` says.
  [[nodiscard]] std::uint64_t insert_batch(std::span<const Hash128> hashes,
                                           Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  [[nodiscard]] std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers,
                                                    Sharing sharing = Sharing::kShared);
  std::uint64_t remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers);

  // Calls `use` for every fingerprint that is in, ascending by hash. Exceptions are not taken out.
  void for_each(const std::function<void(const QuotientRange&)>& use) const;

  using NativeFilter::clear;

  // Adds every key of `other`, which must have the same plan; counts add up. Nothing has changed after an
  // error: kInvalidArgument, naming all that differs; kCapacity.
  Status merge(const QuotientFilter& other);

  const QuotientShape& shape() const;
  std::uint64_t segment_count() const;
  // Its load: taken slots, of those that segments are planned with.
  double fill_ratio() const;
  // Of a key that is not in, exactly, as things are.
  double current_fpp() const;
  // Of distinct keys, from the distinct fingerprints.
  double estimated_count() const;
  // More distinct keys are in it than it keeps its fpp for.
  bool over_capacity() const;

 private:
  explicit QuotientFilter(std::unique_ptr<FilterBody> body, std::unique_ptr<QuotientSegments> segments);
  static Result<QuotientFilter> from_body(std::unique_ptr<FilterBody> body);
  bool insert_uncounted(const Hash128& hash, std::uint64_t times = 1);
  void note_keys();

  QuotientSegments* segments_;  // the body's
};

}  // namespace bloomery
