// The blocked Bloom filter: the default for sets that change. A key costs one cache line, and the fpp is
// known in advance.
//
// Example:
//    auto fast = BlockedBloomFilter::for_capacity(1'000'000, 0.01);
//    auto dense = BlockedBloomFilter::for_capacity(1'000'000, 1e-4, {.setting = BlockedSetting::kDense});
//    fast->insert("a key");
//    const bool maybe = fast->may_contain("a key");  // true
//
// A key has k bits (8 to 16) in a window of eight 64-bit words, one or two bits in each word. k and the fpp
// follow from the exact model of blocked_sizing.h. The header blocked_window.h and docs/formats/native.md
// define the window and the bits of a key.
//
//                                                                bits per key at an fpp of
//   setting   the window                                         1 %     0.1 %   0.01 %
//   fast      is an aligned cache line                           10.1    15.7    22.9
//   dense     begins at any word: most keys touch two cache       9.9    15.1    21.1
//             lines
//   -         (for comparison: the textbook filter, which         9.6    14.4    19.2
//             touches k cache lines)
//
// Calls for one key are inline in a program that is compiled for AVX2 or AVX-512 (blocked_inline.h). In any
// other program they call the library's kernel. Batches always use the kernel. They prefetch the cache
// lines of up to 64 keys, so that a key costs little more than its cache line. All kernels produce the same
// bytes. The environment variable BLOOMERY_KERNEL (scalar, avx2, avx512) forces a kernel; it has no effect
// on inline calls.
//
// Threads, like BloomFilter:
//   - insert, may_contain and their batches may run together without locks. An insert does relaxed ORs into
//     one prefetched cache line, and none if all bits are set already.
//   - test_and_insert acquires one of 64 locks.
//   - While the process has one thread, insert and test_and_insert use neither atomic operations nor locks.
//   - Sharing::kExclusive is faster (plain vector stores, no lock). It is allowed only while no other thread
//     accesses the filter.
//
// Limits: the filter does not remove keys, grow, or resist keys chosen by someone who knows the seed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>

#include "bloomery/base/force_inline.h"
#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_inline.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/blocked_window.h"
#include "bloomery/filter/build_filter.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/typed_view.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

class BlockedBloomFilter : public NativeFilter, public TypedViews<BlockedBloomFilter> {
 public:
  // Inserts are never refused.
  static constexpr bool kMayRefuse = false;

  // Makes an empty filter for `capacity` distinct keys at `fpp`, in as few bits as its setting allows.
  // Errors: kInvalidArgument for values out of the ranges of blocked_shape_for_fpp(); kCapacity if the
  // machine lacks the memory.
  static Result<BlockedBloomFilter> for_capacity(std::uint64_t capacity, double fpp,
                                                 const FilterOptions& options = {});
  // Makes the largest empty filter of at most `byte_limit` bytes. Its capacity is the number of keys that
  // it holds at `fpp`.
  static Result<BlockedBloomFilter> for_bytes(std::uint64_t byte_limit, double fpp,
                                              const FilterOptions& options = {});
  // Makes an empty filter of exactly this shape for `capacity` keys. The setting of the shape is used, not
  // that of the options.
  static Result<BlockedBloomFilter> for_shape(const BlockedShape& shape, std::uint64_t capacity,
                                              const FilterOptions& options = {});
  // Makes a filter of all keys of a range.
  template <std::ranges::input_range Range>
  static Result<BlockedBloomFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    return build_filter<BlockedBloomFilter>(keys, fpp, options);
  }

  // Opens a file, or bytes in memory. Options and errors are those of BloomFilter::open() and view().
  static Result<BlockedBloomFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<BlockedBloomFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Everything that changes bits has the precondition is_writable().
  //
  // Inserts a key and returns true; this filter never refuses.
  BLOOMERY_FORCE_INLINE bool insert(const Hash128& hash) {
    if (inserts_alone()) [[likely]] {
      return insert_alone(hash.low);
    }
    return insert_shared(hash);
  }
  BLOOMERY_FORCE_INLINE bool may_contain(const Hash128& hash) const {
    const BlockedTable table = table_;  // a copy before any branch stays in registers in a loop of queries
    return has_exceptions() ? matches_and_is_no_exception(hash)
                            : blocked_inline::may_contain(table, calls_, hash.low);
  }
  // Inserts a key, and returns whether it was certainly new.
  BLOOMERY_FORCE_INLINE TestedInsert test_and_insert(const Hash128& hash) {
    if (inserts_alone()) [[likely]] {
      return test_and_insert_alone(hash.low);
    }
    return test_and_insert_shared(hash);
  }

  // These calls accept keys of any type that append_key() knows. An integer is hashed with the width of its
  // type (see of()). Precondition: the hash is not kReadyDigest.
  template <Key K>
  BLOOMERY_FORCE_INLINE bool insert(const K& key) {
    if constexpr (std::integral<K>) {
      return inserts_integers_alone() ? insert_alone(short_hash(key))
                                      : insert_integer(little_endian_value(key), sizeof(K));
    } else {
      return insert(hash(key));
    }
  }
  template <Key K>
  BLOOMERY_FORCE_INLINE bool may_contain(const K& key) const {
    if constexpr (std::integral<K>) {
      const BlockedTable table = table_;
      const std::uint64_t low = short_hash(key);
      return asks_inline() ? blocked_inline::may_contain(table, calls_, low)
                           : may_contain_integer(little_endian_value(key), sizeof(K));
    } else {
      return may_contain(hash(key));
    }
  }
  template <Key K>
  BLOOMERY_FORCE_INLINE TestedInsert test_and_insert(const K& key) {
    if constexpr (std::integral<K>) {
      return inserts_integers_alone() ? test_and_insert_alone(short_hash(key))
                                      : test_and_insert_integer(little_endian_value(key), sizeof(K));
    } else {
      return test_and_insert(hash(key));
    }
  }

  // Batches, with the answer bitmap of BloomFilter. No key is refused, so the batches that insert return 0.
  std::uint64_t insert_batch(std::span<const Hash128> hashes, Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                                      Sharing sharing = Sharing::kShared);
  // The same with low words only. Precondition: there are no exceptions, which are whole hashes.
  std::uint64_t insert_batch(std::span<const Hash64> hashes, Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash64> hashes, std::span<std::uint64_t> answers) const;
  std::uint64_t test_and_insert_batch(std::span<const Hash64> hashes, std::span<std::uint64_t> answers,
                                      Sharing sharing = Sharing::kShared);
  using NativeFilter::clear;

  // Inserts every key of `other`, which must have the same plan. Errors: kInvalidArgument, naming all
  // differences.
  Status merge(const BlockedBloomFilter& other);

  const BlockedShape& shape() const { return shape_; }

  // These are computed from the fill; each call reads all bits once (about 10 GB/s). The estimated count is
  // exact for Poisson loads, which hashing produces. The fpp is that of the model at the estimated count.
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  bool over_capacity() const;
  // Returns the fpp of exactly these bits; a small filter may differ from the model. Reads 1 to 2 GB/s, a
  // fifth of that for a dense filter.
  double fpp_of_bits() const;

 private:
  BlockedBloomFilter(const BlockedShape& shape, std::unique_ptr<FilterBody> body);
  static Result<BlockedBloomFilter> empty(const BlockedShape& shape, std::uint64_t capacity, double fpp,
                                          const FilterOptions& options);
  static Result<BlockedBloomFilter> from_body(std::unique_ptr<FilterBody> body);

  BLOOMERY_FORCE_INLINE bool insert_alone(std::uint64_t low) {
    blocked_inline::insert_alone(table_, calls_, low);
    count_inserted_alone();
    return true;
  }
  BLOOMERY_FORCE_INLINE TestedInsert test_and_insert_alone(std::uint64_t low) {
    count_inserted_alone();
    return {.is_new = blocked_inline::test_and_insert_alone(table_, calls_, low)};
  }
  bool insert_shared(Hash128 hash);
  TestedInsert test_and_insert_shared(Hash128 hash);
  [[gnu::pure, gnu::cold]] bool matches_and_is_no_exception(Hash128 hash) const;
  // Integers that need more than their inline hash and plain stores.
  [[gnu::pure, gnu::cold]] bool may_contain_integer(std::uint64_t value, std::size_t size) const;
  [[gnu::cold]] bool insert_integer(std::uint64_t value, std::size_t size);
  [[gnu::cold]] TestedInsert test_and_insert_integer(std::uint64_t value, std::size_t size);
  // Tests and inserts the keys of a batch one at a time, each under its lock. Counts them.
  template <typename Hash>
  void test_and_insert_locked(std::span<const Hash> hashes, std::span<std::uint64_t> answers);

  BlockedShape shape_;
  BlockedTable table_;
  BlockedCalls calls_;  // calls of the chosen kernel
};

}  // namespace bloomery
