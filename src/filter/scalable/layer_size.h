// The size of the next layer of a scalable filter: its capacity, its fpp, its shape, and whether its bits are
// late.
//
//   capacity, fpp       by the schedule (layer_schedule.h)
//   shape               bits per key for the fpp, in steps of 1/256 bit
//   fingerprint bits    those of late_shape.h; 0 if the layer has its bits at once: the first layer, one of
//                       at most 16 KiB, one in the setting dense, and each one of the schedule by index
//
// The sizes are the same on all machines: logarithms differ in their last bit from machine to machine, and
// the steps of 1/256 bit absorb that.
//
// Threads: safe from any thread. Cost: a tenth of a millisecond for an fpp that was not sized before; the
// last 1,024 are kept.
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "filter/scalable/layer_schedule.h"

namespace bloomery {

struct LayerSize {
  std::uint64_t capacity = 0;
  double fpp = 0;
  BlockedShape shape;
  std::uint32_t fingerprint_bits = 0;

  std::uint64_t bytes() const { return shape.words * sizeof(std::uint64_t); }
  friend bool operator==(const LayerSize&, const LayerSize&) = default;
};

// Returns the factor by which the capacities of a new filter grow. In the setting fast the bits of later
// layers are late, so a large layer costs no memory before its keys come.
constexpr std::uint32_t expansion_of(BlockedSetting setting) {
  return setting == BlockedSetting::kFast ? 4 : 2;
}

// Returns what the next layer's size depends on. Each of the layers has a `size`.
template <typename Layers>
LayersBefore layers_before(const Layers& layers) {
  LayersBefore before;
  for (const auto& layer : layers) {
    before.add(layer.size.capacity);
  }
  return before;
}

// Errors: kInvalidArgument unless 0 < fpp < 1 and 1 <= capacity <= kMostCapacity; kCapacity if no shape has
// such an fpp, or a layer would have 2^39 bits or more.
Result<LayerSize> next_layer_size(const GrowingPlan& plan, const LayersBefore& before);

// Returns whether a layer may follow: by a plan it has some four times the words. This guards against a
// changed header whose plan is not that of its layers: it must not make a layer huge.
bool layer_may_follow(const LayerSize& last, const LayerSize& next);

// Returns OK for a layer that was saved, if each field is in its range and the counts fit. Errors:
// kCorruption.
Status check_layer_size(const LayerSize& size, std::uint64_t keys);

// Returns the most keys that one layer of at most `bytes` bytes holds at `fpp`. Nothing if that is less than
// one, or no filter has such an fpp.
std::optional<std::uint64_t> layer_capacity_of_bytes(std::uint64_t bytes, double fpp);

}  // namespace bloomery
