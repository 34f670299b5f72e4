// The shapes that a plan asks for, by its fpp or by its bits per key: for its size, and for the filter
// itself.
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/sizing.h"

namespace bloomery {

// What a plan says of a size: exactly one of fpp and bits_per_key.
struct PlannedRate {
  std::uint64_t capacity;
  std::optional<double> fpp;
  std::optional<double> bits_per_key;
};

// Of a FilterPlan, which is not named here: filter_plan.cc is made of these shapes.
template <typename Plan>
PlannedRate rate_of(const Plan& plan) {
  return {.capacity = plan.capacity, .fpp = plan.fpp, .bits_per_key = plan.bits_per_key};
}

// Errors: kInvalidArgument unless either an fpp or bits per key are asked for.
inline Status check_rate(const PlannedRate& rate) {
  if (rate.fpp.has_value() == rate.bits_per_key.has_value()) {
    return Error::invalid_argument("filter plan", "expected either an fpp or a number of bits per key");
  }
  return {};
}

// Precondition of all: a rate that passes check_rate(). Errors: those of the type's sizing.
inline Result<BloomShape> bloom_shape(const PlannedRate& rate) {
  return rate.fpp ? shape_for_fpp(rate.capacity, *rate.fpp)
                  : shape_for_bits_per_key(rate.capacity, *rate.bits_per_key);
}

// Its bits are the number of counters, each of which takes four.
inline Result<BloomShape> counting_shape(const PlannedRate& rate) {
  return rate.fpp ? shape_for_fpp(rate.capacity, *rate.fpp)
                  : shape_for_bits_per_key(rate.capacity, *rate.bits_per_key / 4);
}

inline Result<BlockedShape> blocked_shape(const PlannedRate& rate, BlockedSetting setting) {
  return rate.fpp ? blocked_shape_for_fpp(rate.capacity, *rate.fpp, setting)
                  : blocked_shape_for_bits_per_key(rate.capacity, *rate.bits_per_key, setting);
}

}  // namespace bloomery
