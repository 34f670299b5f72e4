// The scalable filter grows and keeps its fpp. It is for a number of keys that is not known in advance.
//
// Example:
//    auto filter = ScalableFilter::for_capacity(1'000, 0.01);   // a Result<ScalableFilter>
//    const bool in = filter->insert("a key");            // false: refused, for want of memory
//    const bool maybe = filter->may_contain("a key");    // true, for ever
//
// The filter consists of layers. A layer is a blocked Bloom filter for four times the keys of the layer
// before it (in the setting dense: twice). The layers share the target fpp: all together stay below it,
// however far the filter grows. A key is inserted into the last layer, unless some layer knows it already; so
// repeats fill nothing. When a layer has accepted its capacity of keys, the next layer follows.
//
// In the setting fast, a layer beyond the first does not have its bits at once. As long as fingerprints of
// its keys need less memory, it keeps these in small quotient tables, and turns into Bloom bits page by page.
// So memory follows the keys.
//
// Time. A query asks every layer, the newest first, until one answers maybe. A *no* therefore costs a cache
// line or two per layer, and there are 1 + log4(keys / first capacity) layers (dense: log2).
//
// Memory, in bits per key at 1e-2, for filters that grew from a first capacity of 1,000; a filter of the
// right size needs 10.1:
//
//   keys                                10^4     10^5     10^6     10^7     10^8
//   bits per key                        23.2     17.9     20.5     20.5     21.6
//   from here to the next column        14.8     15.4     15.6     15.6
//                                    to 23.5     21.2     21.2     22.4
//   when a layer is full from 10^4 on   14.4 to 15.4
//
// In the setting dense a layer has all its bits from its first key on. The filter then has up to twice the
// bits per key that it has when the layer is full.
//
// The mean over many filters keeps the target fpp. A layer of less than some 10,000 keys may err a quarter
// more or less often than its share; current_fpp() returns the exact value.
//
// Merges. A union has the layers of both filters. Two layers of one size become one if their keys fit into
// it. Otherwise both stay, since OR-ing full layers would ruin them. So the fpp of a union is at most the sum
// of both and often above the target, which over_capacity() reports. The next layers are as planned. The
// bytes depend on the order of keys and merges.
//
// Threads:
//   - Inserts and queries may run concurrently.
//   - An insert holds one mutex, and a batch of inserts acquires it once. The mutex is held while a layer
//     is made, which needs a millisecond (dense: tens of milliseconds).
//   - A query waits for nothing but an insert that is changing the same 16 KiB of the newest layer. A query
//     that begins after a key's insert has returned finds the key.
//   - If several threads call test_and_insert() for one key at once, exactly one of them hears "new".
//   - Counts and estimates may run concurrently with inserts and queries.
//   - save(), serialize() and other changes (clear, merge, exceptions) need that no insert runs.
//
// Limits: the filter does not remove keys, shrink, or resist keys chosen by someone who knows the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/build_filter.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/filter/typed_calls.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

class BlockedLayers;

// The present state of a layer.
struct LayerFacts {
  std::uint64_t keys = 0;      // keys that it has accepted
  std::uint64_t capacity = 0;  // keys that it accepts
  double fpp = 0;              // at capacity
  BlockedShape shape;          // when all of its bits are there
  std::uint64_t bytes = 0;     // of its bits and tables now
};

class ScalableFilter : public NativeFilter, public TypedCalls<ScalableFilter> {
 public:
  // Inserts may be refused.
  static constexpr bool kMayRefuse = true;

  // Makes an empty filter whose first layer is for `first_capacity` distinct keys, and whose fpp stays below
  // `fpp`. Errors: kInvalidArgument unless 1.02e-10 <= fpp < 1, or above 2^40 keys; kCapacity if the machine
  // lacks the memory.
  static Result<ScalableFilter> for_capacity(std::uint64_t first_capacity, double fpp,
                                             const FilterOptions& options = {});
  // Makes a filter of all keys of a range; its first layer is for all of them. Errors: also kCapacity if keys
  // were refused.
  template <std::ranges::input_range Range>
  static Result<ScalableFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    return build_filter<ScalableFilter>(keys, fpp, options);
  }

  // Opens a filter with the options and errors of BloomFilter::open() and view(). The layers' sizes are
  // checked even with Verify::kHeaderOnly. Errors: also kInvalidArgument for Access::kUpdateInPlace. To
  // change a filter in a file, open it with kCopyLocked and save it over itself.
  static Result<ScalableFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<ScalableFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Everything that changes the filter has the precondition is_writable().
  //
  // Returns false if the filter refuses the key: memory is lacking, or no further layer can have its fpp. The
  // key is not in then, and nothing has changed.
  [[nodiscard]] bool insert(const Hash128& hash);
  bool may_contain(const Hash128& hash) const;
  // Inserts a key, and returns whether it was certainly new, or refused.
  TestedInsert test_and_insert(const Hash128& hash);

  // These accept keys of any type (typed_calls.h).
  using TypedCalls::insert;
  using TypedCalls::may_contain;
  using TypedCalls::test_and_insert;

  // Batches are equivalent to single calls in order, with the answer bitmap of BloomFilter. The batches
  // that insert return the number of refused keys; test_and_insert_batch() answers "new" for a refused key
  // too. Inserts may run concurrently, whatever `sharing` says.
  [[nodiscard]] std::uint64_t insert_batch(std::span<const Hash128> hashes,
                                           Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  [[nodiscard]] std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers,
                                                    Sharing sharing = Sharing::kShared);
  using NativeFilter::clear;

  // Inserts every key of `other`, which must have the same plan. After an error nothing has changed:
  //
  //   kInvalidArgument   the message names all differences
  //   kCapacity          memory is lacking, or both filters together have more than 256 layers that do not
  //                      fit into each other
  Status merge(const ScalableFilter& other);

  // Returns the shape of the first layer.
  const BlockedShape& shape() const;
  std::size_t layer_count() const;
  // Precondition: index < layer_count().
  LayerFacts layer(std::size_t index) const;

  // Each of these three calls reads all bits once. The fpp is computed from the actual bits, at 1 to 2
  // GB/s.
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  // Returns the mean of current_fpp() over filters with equally filled layers. For layers of some hundreds
  // of keys the true mean is a little higher.
  double predicted_fpp() const;
  // Returns true if the fpp is above the target. Only a merge can cause this.
  bool over_capacity() const;

 private:
  explicit ScalableFilter(std::unique_ptr<FilterBody> body, std::unique_ptr<BlockedLayers> layers);
  static Result<ScalableFilter> from_body(std::unique_ptr<FilterBody> body);

  BlockedLayers* layers_;  // owned by the body
};

}  // namespace bloomery
