// Plans a filter of at most a given size in bytes.
//
// Example:
//    const auto plan = plan_for_bytes({.type = FilterType::kBloom, .fpp = 0.01}, 1 << 20);
//    const std::uint64_t keys = plan->capacity;   // the maximal number of keys for a MiB at 1 %
//    auto filter = make_filter(*plan);
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_plan.h"

namespace bloomery {

// Completes a plan that has either an fpp or a capacity, and no bits per key:
//
//   with an fpp        the largest capacity whose filter fits
//   with a capacity    the maximal bits per key that fit
//
// The size is that of the payload, planned_size().bits / 8; the file also has a header. Errors:
// kInvalidArgument if not exactly one of the two is set, or if no filter of the type fits.
Result<FilterPlan> plan_for_bytes(FilterPlan plan, std::uint64_t bytes);

}  // namespace bloomery
