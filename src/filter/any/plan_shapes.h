// Computes the shape of a plan from its fpp or from its bits per key. Used for the size of a plan and for the
// filter itself.
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/sizing.h"

namespace bloomery {

// The fields of a plan that decide a size: exactly one of fpp and bits_per_key is set.
struct PlannedRate {
  std::uint64_t capacity;
  std::optional<double> fpp;
  std::optional<double> bits_per_key;
};

// Returns the rate of a FilterPlan. It is a template, so that this header does not depend on FilterPlan.
template <typename Plan>
PlannedRate rate_of(const Plan& plan) {
  return {.capacity = plan.capacity, .fpp = plan.fpp, .bits_per_key = plan.bits_per_key};
}

// Errors: kInvalidArgument unless exactly one of fpp and bits per key is set.
inline Status check_rate(const PlannedRate& rate) {
  if (rate.fpp.has_value() == rate.bits_per_key.has_value()) {
    return Error::invalid_argument("filter plan", "expected either an fpp or a number of bits per key");
  }
  return {};
}

// Precondition of these functions: the rate passes check_rate(). Errors: kInvalidArgument if the type cannot
// have such a size or fpp.
inline Result<BloomShape> bloom_shape(const PlannedRate& rate) {
  return rate.fpp ? shape_for_fpp(rate.capacity, *rate.fpp)
                  : shape_for_bits_per_key(rate.capacity, *rate.bits_per_key);
}

// The bits of this shape are the number of counters, each of which has four bits.
inline Result<BloomShape> counting_shape(const PlannedRate& rate) {
  return rate.fpp ? shape_for_fpp(rate.capacity, *rate.fpp)
                  : shape_for_bits_per_key(rate.capacity, *rate.bits_per_key / 4);
}

inline Result<BlockedShape> blocked_shape(const PlannedRate& rate, BlockedSetting setting) {
  return rate.fpp ? blocked_shape_for_fpp(rate.capacity, *rate.fpp, setting)
                  : blocked_shape_for_bits_per_key(rate.capacity, *rate.bits_per_key, setting);
}

}  // namespace bloomery
