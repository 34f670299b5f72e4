// A scalable blocked Bloom filter whose memory follows its keys: what a BF key of a server is in our own
// layout.
//
// A filter consists of layers. A layer is a blocked Bloom filter (filter_layer.h), and a key goes into the
// last one unless some layer knows it. When a layer has taken its capacity, the next one follows.
//
//   that grows        layer_size.h has the size of each layer; the fpps add up to at most that of the plan
//   that does not     one layer for `capacity` keys at `fpp`
//
// The first layer has its bits at once: its capacity was planned. So has every layer of at most 16 KiB, and
// each one of the schedule by index. The bits of all others are late, so memory follows the keys.
//
// Invariants: no layer counts more keys than its capacity. The shape of a layer never changes.
//
// Threads: as SharedPage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/hash/hash128.h"
#include "filter/scalable/filter_layer.h"
#include "filter/scalable/layer_size.h"

namespace bloomery {

// Computes the tables by which filters are sized: more than a millisecond, once in a process. A server calls
// it before there are commands.
void prepare_sizing();

class GrowingFilter {
 public:
  using Layer = FilterLayer;

  // Returns the bytes of the first layer of a plan. Errors: kInvalidArgument unless 0 < fpp < 1 and
  // 1 <= capacity <= kMostCapacity; kCapacity if no shape has such an fpp.
  static Result<std::uint64_t> bytes_of(const GrowingPlan& plan);
  // Errors: the same.
  static Result<GrowingFilter> create(const GrowingPlan& plan);
  // Makes a filter of layers that were saved. Errors: kCorruption if they break an invariant.
  static Result<GrowingFilter> of_layers(const GrowingPlan& plan, std::vector<Layer> layers);

  const GrowingPlan& plan() const { return plan_; }
  std::span<const Layer> layers() const { return layers_; }
  std::span<Layer> layers() { return layers_; }

  // Sets bit i % 64 of word i / 64 of `answers` if hashes[i] may be in. The other bits of these words are 0.
  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Adds hashes in order, and writes an outcome for each. Stops after the first outcome that is an error,
  // and returns how many outcomes it wrote. The filter does not grow beyond `most_bytes`, by what its
  // layers have now, not by what they may grow to.
  std::size_t add(std::span<const Hash128> hashes, std::uint64_t most_bytes, std::span<Added> outcomes);

  // Appends the layers of a filter with the same hash and shares their pages. Errors: kInvalidArgument if the
  // hashes differ; kCapacity if there are too many layers.
  Status unite(const GrowingFilter& other);

  // The bytes of all layers, as they are now, and when all are bits.
  std::uint64_t payload_bytes() const;
  std::uint64_t planned_bytes() const;
  std::uint64_t capacity() const;
  std::uint64_t keys() const;
  // The fpp of a key that is not in, predicted from the keys in each layer.
  double current_fpp() const;

 private:
  explicit GrowingFilter(const GrowingPlan& plan) : plan_(plan) {}

  Status append(const LayerSize& size);
  Added grow(std::uint64_t most_bytes);
  bool has_room(std::uint64_t most_bytes) const;
  std::size_t add_until_growth(std::span<const Hash128> hashes, std::uint64_t most_bytes,
                               std::span<Added> outcomes);

  GrowingPlan plan_;
  std::vector<Layer> layers_;
};

}  // namespace bloomery
