// Our own layout of a BF key: a scalable blocked Bloom filter whose bits lie in chunks.
//
// A filter consists of layers. A layer is a blocked Bloom filter, and a key goes into the last one unless some
// layer knows it. When a layer has taken its capacity, the next one follows.
//
//   that grows        layer i is for max(capacity * expansion^i, 1/8 of all layers before) keys
//                     at an fpp of fpp * 1/8 * (7/8)^i, so the fpps of all layers add up to at most `fpp`
//   that does not     one layer for `capacity` keys at `fpp`
//
// Bits and windows are those of a blocked Bloom filter in the setting fast (filter/blocked_window.h).
//
// Invariants: no layer counts more keys than its capacity. The shape of a layer never changes.
//
// Threads: as BitChunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/hash/hash128.h"
#include "redis_module/bit_chunks.h"

namespace bloomery::redis_module {

struct GrowingPlan {
  std::uint64_t capacity = 0;
  double fpp = 0;
  std::uint32_t expansion = 2;  // 0: the filter does not grow
  HashSpec hash;
};

// The outcome for a key that was given to be added.
enum class Added : std::uint8_t {
  kKnown,      // it may be in already; nothing has changed
  kNew,        // it is in now
  kFull,       // the filter does not grow and is full
  kOverLimit,  // growing would exceed the limit of a key
  kNoMemory,   // the server has no memory for it
};

inline constexpr std::size_t kMostLayers = 1024;
inline constexpr std::uint64_t kMostCapacity = std::uint64_t{1} << 40;

class GrowingFilter {
 public:
  struct Layer {
    std::uint64_t keys = 0;
    std::uint64_t capacity = 0;
    double fpp = 0;
    BlockedShape shape;
    BitChunks bits;
  };

  // Returns the bytes that the first layer of a plan takes. Errors: kInvalidArgument unless 0 < fpp < 1 and
  // 1 <= capacity <= kMostCapacity; kCapacity if no shape has such an fpp.
  static Result<std::uint64_t> bytes_of(const GrowingPlan& plan);
  // Returns the most keys that a filter of at most `bytes` bytes, which does not grow, takes at `fpp`. Nothing if
  // that is less than one, or no filter has such an fpp.
  static std::optional<std::uint64_t> capacity_of_bytes(std::uint64_t bytes, double fpp);
  // Errors: as above.
  static Result<GrowingFilter> create(const GrowingPlan& plan);
  // Makes a filter of layers that were saved. Errors: kCorruption if they break an invariant.
  static Result<GrowingFilter> of_layers(const GrowingPlan& plan, std::vector<Layer> layers);

  const GrowingPlan& plan() const { return plan_; }
  std::span<const Layer> layers() const { return layers_; }
  std::span<Layer> layers() { return layers_; }

  // Sets bit i % 64 of word i / 64 of `answers` if hashes[i] may be in. The other bits of these words are 0.
  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Adds hashes in order, and writes an outcome for each. Stops behind the first outcome that is an error, and
  // returns how many outcomes it wrote. The filter does not grow beyond `most_bytes`.
  std::size_t add(std::span<const Hash128> hashes, std::uint64_t most_bytes, std::span<Added> outcomes);

  // Appends the layers of a filter with the same hash and shares their chunks. Errors: kInvalidArgument if the
  // hashes differ; kCapacity if there are too many layers.
  Status unite(const GrowingFilter& other);

  std::uint64_t size_bytes() const;
  std::uint64_t capacity() const;
  std::uint64_t keys() const;
  // The fpp of a key that is not in, predicted from the keys in each layer.
  double current_fpp() const;

 private:
  explicit GrowingFilter(const GrowingPlan& plan) : plan_(plan) {}

  struct LayerSize {
    std::uint64_t capacity;
    double fpp;
    BlockedShape shape;
  };

  static Result<LayerSize> size_of(const GrowingPlan& plan, std::size_t index, std::uint64_t capacity_before);
  Status append(const LayerSize& size);
  Added grow(std::uint64_t most_bytes);
  Added put_in_last(std::uint64_t hash);
  std::size_t add_until_growth(std::span<const Hash128> hashes, std::span<Added> outcomes);

  GrowingPlan plan_;
  std::vector<Layer> layers_;
};

}  // namespace bloomery::redis_module
