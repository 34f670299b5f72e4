// The mathematics of the scalable filter: the size and the fpp of each layer.
//
// For a first capacity c, a total fpp p and the ratio r = 7/8:
//
//   layer i is for c 2^i keys at an fpp of p (1 - r) r^i
//
// The fpps of all layers add up to at most p, however many layers there are. A small r uses up p early:
// late layers, which hold most keys, get little of it and need more bits. A large r leaves little for every
// layer.
//
// The table is for p = 1e-2 and the setting fast, with all layers full after the given number of doublings.
// It shows bits per key and, in parentheses, multiples of the 10.10 bits of a blocked Bloom filter of the
// right size.
//
//   r       3 doublings     6               10              16
//   0.5     15.7 (1.55)     21.6 (2.14)     30.2 (2.99)     48.2 (4.77)
//   0.8     15.2 (1.51)     17.0 (1.69)     19.9 (1.97)     23.9 (2.36)
//   0.875   16.0 (1.58)     17.1 (1.69)     18.7 (1.86)     21.4 (2.12)
//   0.92    16.9 (1.68)     17.7 (1.75)     18.7 (1.85)     20.4 (2.02)
//
// Source: Almeida, Baquero, Preguica and Hutchison, "Scalable Bloom Filters" (2007), who advise r of 0.8 to
// 0.9. All functions are pure and safe from any thread.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"

namespace bloomery {

inline constexpr double kLayerRatio = 0.875;  // r, for new layers; existing files have their shapes

struct ScalablePlan {
  std::uint64_t first_capacity = 1;  // 0 is sized as 1
  double fpp = 0;
  BlockedSetting setting = BlockedSetting::kFast;
};

struct LayerPlan {
  std::uint64_t capacity = 1;
  double fpp = 0;
  BlockedShape shape;  // full cache lines, even if the setting is dense
};

// Returns the capacity of layer `step` in keys, or 2^64 - 1 if it is larger.
std::uint64_t layer_capacity(std::uint64_t first_capacity, std::uint32_t step);

// Returns layer `step` of a plan. Costs milliseconds. Errors: kInvalidArgument of blocked_shape_for_fpp(),
// also for the layer after the last possible one. The 64-bit hashes limit the layers: at 1e-2 not before
// layers of 10^12 keys.
Result<LayerPlan> plan_layer(const ScalablePlan& plan, std::uint32_t step);

}  // namespace bloomery
