// The scalable filter: for a number of keys that nobody knows beforehand. It grows, and its fpp stays.
//
//   auto filter = ScalableFilter::for_capacity(1'000, 0.01);            // Result<ScalableFilter>
//   filter->insert("a key");                 false: refused, which takes more memory than there is
//   filter->may_contain("a key")             true, for ever
//
// Layers of the blocked Bloom filter (blocked_bloom_filter.h), each for twice the keys of the one before and
// at 7/8 of its fpp (scalable_sizing.h): all fpps together stay below the target, however far it grows. A key
// is put into the last layer, unless some layer knows it already: so repeats fill nothing. A layer that has
// taken its capacity of keys is followed by the next, which then takes memory for as many keys as all before.
//
// Price. A query asks every layer, the largest first, until one answers maybe: a *no* costs a cache line for
// each (1 + log2(keys / first capacity) of them). Memory, with the last layer full: 16.0, 17.1 and 18.7 bits
// per key after 3, 6 and 10 doublings at 1e-2, where a filter of the right size has 10.1; twice that when the
// last layer has just been made. So a first capacity that is nearly right is worth having. The target is kept
// by the mean over filters: a layer of less than some 10,000 keys may err a quarter more or less often than
// its share; current_fpp() tells how often, exactly.
//
// Merges. A union has the layers of both. Two of a step become one where their keys fit into it, and stand
// side by side where they do not, for OR-ing full layers would ruin them: so the fpp of a union is at most
// the sum of both and often more than the target, which over_capacity() says; the next layers are as planned.
// Bytes depend on the order of keys and merges.
//
// Threads: inserts and queries may run together. Inserts (single and batches, which take it once) hold one
// mutex, also while a layer is made, which takes milliseconds (dense: tens). Queries never wait, a key is
// found by every query that begins after its insert has returned, and exactly one test_and_insert of a key
// hears "new". Counts and estimates may run beside them too. save(), serialize() and what changes the filter
// otherwise (clear, merge, exceptions) need that no insert runs. What it does not do: remove keys, shrink, or
// resist keys chosen by someone who knows the seed.
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
#include "bloomery/filter/typed_view.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

class BlockedLayers;

// A layer as it is now.
struct LayerFacts {
  std::uint32_t step = 0;  // it is for capacity() * 2^step keys
  std::uint64_t keys = 0;  // that it has taken
  BlockedShape shape;
};

class ScalableFilter : public NativeFilter, public TypedViews<ScalableFilter> {
 public:
  // Whether an insert may be refused.
  static constexpr bool kMayRefuse = true;

  // An empty filter whose first layer is for `first_capacity` distinct keys, and whose fpp stays below `fpp`.
  // Errors: plan_layer() in scalable_sizing.h; kCapacity when the machine lacks the memory.
  static Result<ScalableFilter> for_capacity(std::uint64_t first_capacity, double fpp,
                                             const FilterOptions& options = {});
  // A filter of all keys of a range, for which its first layer is made. Errors: also kCapacity, if keys were
  // refused.
  template <std::ranges::input_range Range>
  static Result<ScalableFilter> build(Range&& keys, double fpp, const FilterOptions& options = {}) {
    return build_filter<ScalableFilter>(keys, fpp, options);
  }

  // As BloomFilter::open() and view(). The layers' sizes are checked also with Verify::kHeaderOnly. Errors:
  // also kInvalidArgument for Access::kUpdateInPlace: who changes a file opens it with kCopyLocked and saves
  // it over itself.
  static Result<ScalableFilter> open(const std::string& path, const OpenOptions& options = {});
  static Result<ScalableFilter> view(std::span<const std::byte> bytes, const OpenOptions& options = {});

  // Precondition of everything that changes it: is_writable().
  //
  // False: refused, for want of memory or since no further layer can have its fpp (scalable_sizing.h). The
  // key is not in, nothing has changed.
  [[nodiscard]] bool insert(const Hash128& hash);
  bool may_contain(const Hash128& hash) const;
  // Inserts, and returns whether the key was certainly new, or refused.
  TestedInsert test_and_insert(const Hash128& hash);

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

  // Batches, with answers as in BloomFilter; the same as single calls, in order. Those that insert return how
  // many keys were refused; test_and_insert answers "new" for a refused key too.
  // Inserts share the filter, whatever `sharing` says.
  [[nodiscard]] std::uint64_t insert_batch(std::span<const Hash128> hashes,
                                           Sharing sharing = Sharing::kShared);
  void may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  [[nodiscard]] std::uint64_t test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers,
                                                    Sharing sharing = Sharing::kShared);
  using NativeFilter::clear;

  // Adds every key of `other`, which must have the same plan. Nothing has changed after an error:
  // kInvalidArgument, naming all that differs; kCapacity for want of memory, or when both together have more
  // than 256 layers that do not fit into each other.
  Status merge(const ScalableFilter& other);

  // Of the first layer.
  const BlockedShape& shape() const;
  std::size_t layer_count() const;
  // Precondition: index < layer_count().
  LayerFacts layer(std::size_t index) const;

  // Each but the last two reads all bits once; the fpp is that of the bits as they are, at 1 to 2 GB/s.
  double fill_ratio() const;
  double current_fpp() const;
  double estimated_count() const;
  // The mean of current_fpp() over filters whose layers have taken so many keys; for layers of some hundreds
  // of keys a little more.
  double predicted_fpp() const;
  // It is above the target, as only a merge can make it.
  bool over_capacity() const;

 private:
  explicit ScalableFilter(std::unique_ptr<FilterBody> body, std::unique_ptr<BlockedLayers> layers);
  static Result<ScalableFilter> from_body(std::unique_ptr<FilterBody> body);

  BlockedLayers* layers_;  // the body's
};

}  // namespace bloomery
