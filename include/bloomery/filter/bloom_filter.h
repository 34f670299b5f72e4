// The textbook Bloom filter: m bits, and every key sets k of them.
//
// Example:
//    auto filter = BloomFilter::for_capacity(1'000'000, 0.01);  // a Result<BloomFilter>
//    filter->insert("a key");
//    const bool present = filter->may_contain("a key");   // true, for ever
//    const bool maybe = filter->may_contain("another");   // true once in a hundred times; false is certain
//
// Bit i of the filter is bit (i mod 8) of byte i/8. Equally, it is bit (i mod 64) of the little-endian word
// i/64. A key with hash h (the low word of its Hash128) sets the k bits bit(0) to bit(k - 1):
//
//   x(0)     = h
//   x(i + 1) = x(i) * 0xf1357aea2e62a9c5 mod 2^64
//   bit(i)   = floor(x(i) * m / 2^64)
//
// So m may be any number up to 2^56, and every position depends on all 64 bits. The multiplier is from Steele
// and Vigna, "Computationally easy, spectrally good multipliers for congruential pseudorandom number
// generators", 2022, table for 64 bits.
//
// Invariant: a key that was inserted is answered *maybe* from then on. Only clear() clears bits.
//
// Cost: a key touches k random cache lines and needs about 1.44 times the least possible bits. The blocked
// Bloom filter touches one cache line per key, and a ribbon needs the fewest bits. Batches overlap the
// latencies of the cache lines; use them for a thousand keys or more.
//
// Threads:
//   - insert, may_contain and their batches may run concurrently in any number of threads, without locks.
//   - If several threads call test_and_insert() for one key at once, exactly one of them gets "new". The call
//     acquires one of 64 locks, chosen by the hash. Without a lock, two callers could each set half of the
//     key's bits, and both would find a clear one.
//   - merge(), clear(), save() and moving the filter must run alone, except that save() may run concurrently
//     with may_contain().
//   - Counts may lag behind running inserts.
//
// Limits: the filter does not remove keys, grow, or resist keys chosen by someone who knows the seed.
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
#include "bloomery/filter/typed_calls.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

class BloomFilter : public NativeFilter, public TypedCalls<BloomFilter> {
 public:
  // Inserts are never refused.
  static constexpr bool kMayRefuse = false;

  // Makes an empty filter for `capacity` distinct keys at `fpp`, in the fewest bits. Errors:
  // kInvalidArgument for a capacity or fpp out of range; shape_for_fpp() states the ranges. Also kCapacity,
  // with both numbers, if the machine lacks the memory.
  static Result<BloomFilter> for_capacity(std::uint64_t capacity, double fpp,
                                          const FilterOptions& options = {});
  // Makes the largest empty filter of at most `byte_limit` bytes. Its capacity is the number of keys that
  // it holds at `fpp`.
  static Result<BloomFilter> for_bytes(std::uint64_t byte_limit, double fpp,
                                       const FilterOptions& options = {});
  // Makes an empty filter of exactly this shape for `capacity` keys. Its target fpp is the resulting one.
  // Errors: kInvalidArgument for an impossible shape (check_shape()).
  static Result<BloomFilter> for_shape(const BloomShape& shape, std::uint64_t capacity,
                                       const FilterOptions& options = {});
  // Makes a filter of all keys of a range. Its capacity is the number of keys in the range, repeats included.
  template <std::ranges::input_range Range>
  static Result<BloomFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    return build_filter<BloomFilter>(keys, fpp, options);
  }

  // Opens a native file. A mapped file needs memory only for the pages that inserts change, and opens at
  // the speed of its checksum (about 10 GB/s from the page cache).
  //
  // Errors, each with file, offset and what was expected:
  //
  //   kNotFound, kIo, kCorruption, kUnsupported
  //   kInvalidArgument   the filter is of another type, or the file's keys are not plain text or bytes and
  //                      the options do not say that this is known (RecordedKeys::kKnown)
  static Result<BloomFilter> open(const std::string& path, const OpenOptions& options = {});
  // Opens bytes in memory. With Access::kMap they are not copied and must outlive the filter, which is
  // read-only. With Access::kCopy they are copied. Errors: those of open() except kNotFound and kIo.
  static Result<BloomFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Everything that changes bits has the precondition is_writable().
  //
  // Inserts a key and returns true; this filter never refuses.
  bool insert(const Hash128& hash);
  bool may_contain(const Hash128& hash) const;
  // Inserts a key, and returns whether it was certainly new. A false positive is answered "not new" even
  // for its first insert.
  TestedInsert test_and_insert(const Hash128& hash);

  // These calls accept keys of any type that append_key() knows. An integer is hashed with the width of its
  // type (see of()). Precondition: the hash is not kReadyDigest.
  template <Key K>
  bool insert(const K& key) {
    if constexpr (std::integral<K>) {
      if (inserts_integers_alone()) [[likely]] {
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
  using TypedCalls::test_and_insert;

  // Batches. The answer for key i is bit i mod 64 of answers[i / 64]; bits beyond the last key are cleared.
  // Batches of test_and_insert answer 1 for "new", in order: of equal keys in one batch the first is new.
  // No key is refused, so the batches that insert return 0. Precondition: answers.size() >=
  // answer_words(hashes.size()).
  std::uint64_t insert_batch(std::span<const Hash128> hashes, Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                                      Sharing sharing = Sharing::kShared);
  using NativeFilter::clear;

  // Inserts every key of `other`, which must have the same plan. Errors: kInvalidArgument, naming all
  // differences.
  Status merge(const BloomFilter& other);

  const BloomShape& shape() const { return shape_; }

  // These are computed from the fill; each call reads all bits once (about 10 GB/s).
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  // Returns true if the filter holds more keys than it was made for. Two conditions must hold: more keys
  // were inserted, and by the fill clearly more of them are distinct.
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
