// The capacity and the fpp of each layer of a filter that grows.
//
//   capacity of layer i   max(capacity * expansion^i, 1/8 of all layers before)
//   fpp of layer i        fpp * weight of layer i / the sum of all weights, at least 1.02e-10
//
//   schedule      weight
//   by index      1/8 * (7/8)^i, which add up to 1
//   by capacity   by the memory of the layer: see weight_of() in layer_schedule.cc
//
// All layers that a filter may ever have share its fpp. A weight that is halved costs about 1.5 bits a key.
// So small layers have little weight, since their keys are few, and layers of 2^16 to 2^24 keys have equal
// weights. Layers above them have less and less, since most filters never have them.
//
// New filters have the schedule by capacity. Filters that version 1 of the front has saved go on with the one
// by index.
//
// All machines get the same numbers: they are sums, products and quotients of doubles in one order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/native/growing_plan.h"

namespace bloomery {

struct LayerStep {
  std::uint64_t capacity = 0;
  double fpp = 0;
};

// The layers before the next one.
struct LayersBefore {
  std::size_t count = 0;
  std::uint64_t capacity = 0;       // of all
  std::uint64_t last_capacity = 0;  // of the last one

  void add(std::uint64_t layer_capacity) {
    ++count;
    capacity += layer_capacity;
    last_capacity = layer_capacity;
  }
};

// Returns the next layer of a filter that grows. Precondition: the plan has a capacity, an fpp and an
// expansion.
LayerStep next_layer_step(const GrowingPlan& plan, const LayersBefore& before);

}  // namespace bloomery
