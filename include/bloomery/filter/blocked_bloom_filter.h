// The blocked Bloom filter: the default for sets that change. One cache line a key, two vectors, an fpp known
// beforehand.
//
//   auto fast = BlockedBloomFilter::for_capacity(1'000'000, 0.01);
//   auto dense = BlockedBloomFilter::for_capacity(1'000'000, 1e-4, {.setting = BlockedSetting::kDense});
//
// A key's k bits (8 to 16) lie in a window of eight 64-bit words, one or two in each:
//
//   fast    the window is a cache line; 10.1 bits per key at 1 %, 15.7 at 0.1 %, 22.9 at 0.01 %
//   dense   the window may start at any word, so most keys touch two cache lines; 9.9, 15.1, 21.1
//
// (the textbook filter: 9.6, 14.4, 19.2, over k cache lines). k and the fpp follow from the exact model of
// blocked_sizing.h. Which window and which bits: blocked_window.h, docs/formats/native.md.
//
// One key at a time is inline in a program that is compiled for AVX2 or AVX-512 (blocked_inline.h), and a call of the
// library's kernel in any other. Batches are always the kernel's: they keep the cache lines of up to 64 keys on their
// way, and a key is then little more than its cache line. The environment variable BLOOMERY_KERNEL (scalar, avx2,
// avx512) forces a kernel; it does not reach what is inline. All give the same bytes.
//
// Threads: as for BloomFilter. insert, may_contain and their batches may run together, lock-free, with
// relaxed ORs into one prefetched cache line and none where all bits are set already; test_and_insert takes
// one of 64 locks. While the process has one thread, neither uses an atomic operation or a lock.
// Sharing::kExclusive is faster (plain vector stores, no lock) and allowed only while no other thread touches
// the filter. What it does not do: remove keys, grow, or resist keys chosen by someone who knows the seed.
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
  // Whether an insert may be refused.
  static constexpr bool kMayRefuse = false;

  // An empty filter for `capacity` distinct keys at `fpp`, in the least bits of its setting. Errors:
  // blocked_shape_for_fpp(); kCapacity when the machine lacks the memory.
  static Result<BlockedBloomFilter> for_capacity(std::uint64_t capacity, double fpp,
                                                 const FilterOptions& options = {});
  // The largest empty filter of at most `byte_limit` bytes; its capacity is what it holds at `fpp`.
  static Result<BlockedBloomFilter> for_bytes(std::uint64_t byte_limit, double fpp,
                                              const FilterOptions& options = {});
  // An empty filter of exactly this shape (its setting is the one that counts) for `capacity` keys.
  static Result<BlockedBloomFilter> for_shape(const BlockedShape& shape, std::uint64_t capacity,
                                              const FilterOptions& options = {});
  // A filter of all keys of a range.
  template <std::ranges::input_range Range>
  static Result<BlockedBloomFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    return build_filter<BlockedBloomFilter>(keys, fpp, options);
  }

  // As BloomFilter::open() and view().
  static Result<BlockedBloomFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<BlockedBloomFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Precondition of everything that changes bits: is_writable().
  //
  // Never refuses: true.
  BLOOMERY_FORCE_INLINE bool insert(const Hash128& hash) {
    if (inserts_alone()) [[likely]] {
      return insert_alone(hash.low);
    }
    return insert_shared(hash);
  }
  BLOOMERY_FORCE_INLINE bool may_contain(const Hash128& hash) const {
    const BlockedTable table = table_;  // before any branch: a loop of questions then keeps it in registers
    return has_exceptions() ? matches_and_is_no_exception(hash)
                            : blocked_inline::may_contain(table, calls_, hash.low);
  }
  // Inserts, and returns whether the key was certainly new.
  BLOOMERY_FORCE_INLINE TestedInsert test_and_insert(const Hash128& hash) {
    if (inserts_alone()) [[likely]] {
      return test_and_insert_alone(hash.low);
    }
    return test_and_insert_shared(hash);
  }

  // Keys of any type that append_key() knows; integers by the width of their type (see of()). Precondition:
  // the hash is not kReadyDigest.
  template <Key K>
  BLOOMERY_FORCE_INLINE bool insert(const K& key) {
    if constexpr (std::integral<K>) {
      if (inserts_alone() && asks_inline()) [[likely]] {
        return insert_alone(short_hash(key));
      }
    }
    return insert(hash(key));
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
      if (inserts_alone() && asks_inline()) [[likely]] {
        return test_and_insert_alone(short_hash(key));
      }
    }
    return test_and_insert(hash(key));
  }

  // Batches; answers as in BloomFilter, none is refused.
  std::uint64_t insert_batch(std::span<const Hash128> hashes, Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                                      Sharing sharing = Sharing::kShared);
  using NativeFilter::clear;

  // Adds every key of `other`, which must have the same plan. Errors: kInvalidArgument, naming all that
  // differs.
  Status merge(const BlockedBloomFilter& other);

  const BlockedShape& shape() const { return shape_; }

  // From the fill; each reads all bits once (about 10 GB/s). The estimate is exact for loads that are
  // Poisson, as hashes make them; the fpp is the model's at the estimated count.
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  bool over_capacity() const;
  // Of exactly these bits, where a small filter differs from the model; at 1 to 2 GB/s (dense: a fifth).
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
  [[gnu::pure, gnu::cold]] bool may_contain_integer(std::uint64_t value, std::size_t size) const;

  BlockedShape shape_;
  BlockedTable table_;
  BlockedCalls calls_;  // of the kernel that was chosen
};

}  // namespace bloomery
