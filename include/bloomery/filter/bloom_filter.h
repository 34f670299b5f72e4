// The textbook Bloom filter: m bits, k of them set for every key.
//
//   auto filter = BloomFilter::for_capacity(1'000'000, 0.01);      // Result<BloomFilter>
//   filter->insert("a key");
//   filter->may_contain("a key")         true, for ever
//   filter->may_contain("another")       false is certain, true is wrong one time in a hundred
//
// Bit i of the filter is bit (i mod 8) of byte i/8 (equally: bit (i mod 64) of the little-endian word i/64).
// Key with hash h (the low word of its Hash128) sets the k bits
//
//   x(0) = h,   x(i+1) = x(i) * 0xf1357aea2e62a9c5 mod 2^64,   bit(i) = floor(x(i) * m / 2^64)
//
// so that m may be any number up to 2^56 and every position draws on all 64 bits.
// Invariant: a key once inserted answers *maybe* for ever; bits are set and never cleared, but by clear().
//
// Cost: k random cache lines a key (about 1.44 times the least possible bits). For one cache line a key, use
// the blocked Bloom filter; for the least bits, a static filter. Batches hide the latency of the cache lines
// behind each other and are the fast way to do anything a thousand times.
//
// Threads: insert, may_contain and their batches may run together from any number of threads, lock-free.
// Exactly one of several concurrent test_and_insert() calls for one key hears "new"; that takes a lock (one
// of 64, by hash), for without one two callers can each set half of the key's bits and both find a clear one.
// merge(), clear(), save() and moving the filter need it alone (save may run beside may_contain). The counts
// may lag behind running inserts.
//
// Source of the multiplier: Steele and Vigna, "Computationally easy, spectrally good multipliers for
// congruential pseudorandom number generators", 2022, table for 64 bits. What it does not do: remove keys,
// grow, or resist keys chosen by someone who knows the seed.
#pragma once

#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/build_filter.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/filter/typed_view.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

class BloomFilter : public NativeFilter, public TypedViews<BloomFilter> {
 public:
  // Whether an insert may be refused.
  static constexpr bool kMayRefuse = false;

  // An empty filter for `capacity` distinct keys at `fpp`, in the least bits (see shape_for_fpp() for ranges
  // and errors). kCapacity when the machine lacks the memory, with both numbers.
  static Result<BloomFilter> for_capacity(std::uint64_t capacity, double fpp,
                                          const FilterOptions& options = {});
  // The largest empty filter of at most `byte_limit` bytes; its capacity is what it holds at `fpp`.
  static Result<BloomFilter> for_bytes(std::uint64_t byte_limit, double fpp,
                                       const FilterOptions& options = {});
  // An empty filter of exactly this shape for `capacity` keys; its target fpp is what results. Errors:
  // check_shape().
  static Result<BloomFilter> for_shape(const BloomShape& shape, std::uint64_t capacity,
                                       const FilterOptions& options = {});
  // A filter of all keys of a range; equal keys count once each for the capacity.
  template <std::ranges::input_range Range>
  static Result<BloomFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    return build_filter<BloomFilter>(keys, fpp, options);
  }

  // Opens a native file. A map costs no memory of its own but for pages that inserts change, and opens at the
  // speed of its checksum (about 10 GB/s from the page cache). Errors: kNotFound, kIo, kCorruption,
  // kUnsupported, each with file, offset and what was expected; kInvalidArgument for a filter of another
  // type, and where the file's keys are not plain text or bytes, unless the options say that this is known.
  static Result<BloomFilter> open(const std::string& path, const OpenOptions& options = {});
  // The same over bytes in memory, which must outlive the filter and are not copied (Access::kMap: it takes
  // no keys) or copied (kCopy).
  static Result<BloomFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Precondition of everything that changes bits: is_writable().
  //
  // Never refuses: true.
  bool insert(const Hash128& hash);
  bool may_contain(const Hash128& hash) const;
  // Inserts, and returns whether the key was certainly new. A key that was taken for present (a false
  // positive) hears "not new" from its first call on.
  TestedInsert test_and_insert(const Hash128& hash);

  // Keys of any type that append_key() knows; integers by the width of their type (see of()). Precondition:
  // the hash is not kReadyDigest.
  template <Key K>
  bool insert(const K& key) {
    if constexpr (std::integral<K>) {
      if (inserts_alone() && asks_inline()) [[likely]] {
        return insert_alone(short_hash(key));
      }
    }
    return insert(hash(key));
  }
  template <Key K>
  bool may_contain(const K& key) const {
    if constexpr (std::integral<K>) {
      if (asks_inline()) [[likely]] {
        return matches(short_hash(key));
      }
    }
    return may_contain(hash(key));
  }
  template <Key K>
  TestedInsert test_and_insert(const K& key) {
    return test_and_insert(hash(key));
  }

  // Batches. Answers go to bit i mod 64 of answers[i / 64]; bits beyond the last key are cleared.
  // Precondition: answers.size() >= answer_words(hashes.size()). test_and_insert answers 1 for "new", in
  // order: of equal keys in one batch the first is new. None is refused: 0.
  std::uint64_t insert_batch(std::span<const Hash128> hashes, Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                                      Sharing sharing = Sharing::kShared);
  using NativeFilter::clear;

  // Adds every key of `other`, which must have the same plan. Errors: kInvalidArgument, naming all that
  // differs.
  Status merge(const BloomFilter& other);

  const BloomShape& shape() const { return shape_; }

  // From the fill; each reads all bits once (about 10 GB/s).
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  // More keys are in it than it was made for: more were given, and, by the fill, clearly more of them differ.
  bool over_capacity() const;

 private:
  BloomFilter(const BloomShape& shape, std::unique_ptr<FilterBody> body);
  static Result<BloomFilter> empty(const BloomShape& shape, std::uint64_t capacity, double fpp,
                                   const FilterOptions& options);
  static Result<BloomFilter> from_body(std::unique_ptr<FilterBody> body);

  bool insert_alone(std::uint64_t low);
  [[gnu::pure]] bool matches(std::uint64_t low) const;

  BloomShape shape_;
  std::uint64_t* words_;
};

}  // namespace bloomery
