// The shapes that a plan asks for, by its fpp or by its bits per key: for its size, and for the filter
// itself.
#pragma once

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/filter_plan.h"
#include "bloomery/filter/sizing.h"

namespace bloomery {

// Errors: kInvalidArgument unless either an fpp or bits per key are asked for.
inline Status check_plan(const FilterPlan& plan) {
  if (plan.fpp.has_value() == plan.bits_per_key.has_value()) {
    return Error::invalid_argument("filter plan", "expected either an fpp or a number of bits per key");
  }
  return {};
}

// Precondition of all: a plan that passes check_plan(). Errors: those of the type's sizing.
inline Result<BloomShape> bloom_shape(const FilterPlan& plan) {
  return plan.fpp ? shape_for_fpp(plan.capacity, *plan.fpp)
                  : shape_for_bits_per_key(plan.capacity, *plan.bits_per_key);
}

// Its bits are the number of counters, each of which takes four.
inline Result<BloomShape> counting_shape(const FilterPlan& plan) {
  return plan.fpp ? shape_for_fpp(plan.capacity, *plan.fpp)
                  : shape_for_bits_per_key(plan.capacity, *plan.bits_per_key / 4);
}

inline Result<BlockedShape> blocked_shape(const FilterPlan& plan) {
  return plan.fpp ? blocked_shape_for_fpp(plan.capacity, *plan.fpp, plan.options.setting)
                  : blocked_shape_for_bits_per_key(plan.capacity, *plan.bits_per_key, plan.options.setting);
}

}  // namespace bloomery
