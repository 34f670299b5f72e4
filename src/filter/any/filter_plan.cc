#include "bloomery/filter/filter_plan.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/fuse_sizing.h"
#include "bloomery/filter/quotient_sizing.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/filter/windowed_sizing.h"
#include "filter/any/plan_shapes.h"
#include "filter/scalable/layer_size.h"

namespace bloomery {
namespace {

// A quotient filter's fpp halves with every bit of its fingerprints. No fingerprint has more than 62 bits.
constexpr int kMostHalvings = 62;

// Returns the fpp of the longest fingerprints that fit.
Result<double> quotient_fpp_for_bits(const FilterPlan& plan) {
  const auto keys = static_cast<double>(std::max<std::uint64_t>(plan.capacity, 1));
  double least_bits = 0;
  for (int halvings = kMostHalvings; halvings > 0; --halvings) {
    const double fpp = std::ldexp(1, -halvings);
    const Result<QuotientShape> shape =
        quotient_shape_for_fpp(plan.capacity, fpp, plan.options.growth_doublings);
    if (!shape) {
      continue;  // such fingerprints would be too long
    }
    least_bits = static_cast<double>(quotient_bytes(*shape)) * 8 / keys;
    if (least_bits <= *plan.bits_per_key) {
      return fpp;
    }
  }
  return Error::invalid_argument("bits per key", "expected at least " + std::to_string(least_bits) +
                                                     " for a quotient filter of this capacity, found " +
                                                     std::to_string(*plan.bits_per_key));
}

Result<QuotientShape> quotient_shape(const FilterPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  return quotient_shape_for_fpp(plan.capacity, fpp, plan.options.growth_doublings);
}

template <typename Shape>
PlannedSize size_of(const Shape& shape, std::uint64_t bits, std::uint32_t hash_count,
                    std::uint64_t capacity) {
  return {.bits = bits,
          .hash_count = hash_count,
          .fpp_full = predicted_fpp(shape, capacity),
          .fpp_double = predicted_fpp(shape, 2 * capacity)};
}

// Returns the bits and the fpp of the first layer, and the joint fpp after a second layer has as many keys.
Result<PlannedSize> scalable_size(const FilterPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  const GrowingPlan layers{.capacity = std::max<std::uint64_t>(plan.capacity, 1),
                           .fpp = fpp,
                           .expansion = expansion_of(plan.options.setting),
                           .hash = {},
                           .setting = plan.options.setting};
  BLOOMERY_ASSIGN_OR_RETURN(const LayerSize first, next_layer_size(layers, {}));
  BLOOMERY_ASSIGN_OR_RETURN(
      const LayerSize second,
      next_layer_size(layers, {.count = 1, .capacity = first.capacity, .last_capacity = first.capacity}));
  const double first_full = predicted_fpp(first.shape, plan.capacity);
  const double second_begun = predicted_fpp(second.shape, plan.capacity);
  return PlannedSize{.bits = first.shape.bits(),
                     .hash_count = first.shape.hash_count,
                     .fpp_full = first_full,
                     .fpp_double = first_full + second_begun - first_full * second_begun};
}

// Returns the size of all tables, the fpp with all generations full, and the fpp with twice as many keys in
// each.
Result<PlannedSize> windowed_size(const FilterPlan& plan) {
  const Window& window = plan.options.window;
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape table,
                            windowed_shape_for_fpp(plan.capacity, fpp, window, plan.options.setting));
  const bool by_count = window.kind == WindowKind::kCount;
  const std::uint64_t keys = by_count
                                 ? window.generation_length()
                                 : (std::max<std::uint64_t>(plan.capacity, 1) - 1) / window.generations + 1;
  const auto fpp_with = [&](std::uint64_t keys_each) {
    return -std::expm1((window.generations + 1) * std::log1p(-predicted_fpp(table, keys_each)));
  };
  return PlannedSize{.bits = windowed_bytes(table, window) * 8,
                     .hash_count = table.hash_count,
                     .fpp_full = fpp_with(keys),
                     .fpp_double = fpp_with(2 * keys)};
}

}  // namespace

std::string FilterPlan::type_name() const {
  return filter_type_name(type, options.setting);
}

Result<double> planned_fpp(const FilterPlan& plan) {
  BLOOMERY_RETURN_IF_ERROR(check_rate(rate_of(plan)));
  if (plan.fpp) {
    return *plan.fpp;
  }
  switch (plan.type) {
    case FilterType::kRibbon:
      return ribbon_fpp_for_bits_per_key(plan.capacity, *plan.bits_per_key);
    case FilterType::kFuse:
      return fuse_fpp_for_bits_per_key(plan.capacity, *plan.bits_per_key, plan.options.setting);
    case FilterType::kQuotient:
      return quotient_fpp_for_bits(plan);
    case FilterType::kScalable:
    case FilterType::kWindowed:
      return Error::invalid_argument(
          "bits per key", std::string("expected an fpp for a filter of type ") + filter_type_name(plan.type));
    default: {
      FilterPlan of_a_key = plan;  // with no key, the fpp would be 0
      of_a_key.capacity = std::max<std::uint64_t>(plan.capacity, 1);
      BLOOMERY_ASSIGN_OR_RETURN(const PlannedSize size, planned_size(of_a_key));
      return std::max(size.fpp_full, DBL_MIN);
    }
  }
}

Result<PlannedSize> planned_size(const FilterPlan& plan) {
  BLOOMERY_RETURN_IF_ERROR(check_options(plan.type, plan.options));
  BLOOMERY_RETURN_IF_ERROR(check_rate(rate_of(plan)));
  switch (plan.type) {
    case FilterType::kBloom: {
      BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, bloom_shape(rate_of(plan)));
      return size_of(shape, shape.bits, shape.hash_count, plan.capacity);
    }
    case FilterType::kCounting: {
      BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, counting_shape(rate_of(plan)));
      return size_of(shape, shape.bits * 4, shape.hash_count, plan.capacity);
    }
    case FilterType::kBlocked: {
      BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape, blocked_shape(rate_of(plan), plan.options.setting));
      return size_of(shape, shape.bits(), shape.hash_count, plan.capacity);
    }
    case FilterType::kQuotient: {
      BLOOMERY_ASSIGN_OR_RETURN(const QuotientShape shape, quotient_shape(plan));
      return size_of(shape, quotient_bytes(shape) * 8, shape.remainder_bits, plan.capacity);
    }
    case FilterType::kScalable:
      return scalable_size(plan);
    case FilterType::kWindowed:
      return windowed_size(plan);
    case FilterType::kRibbon: {
      BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
      BLOOMERY_ASSIGN_OR_RETURN(const RibbonShape shape, ribbon_shape_for_fpp(plan.capacity, fpp));
      return PlannedSize{.bits = predicted_ribbon_bytes(plan.capacity, fpp) * 8,
                         .hash_count = shape.columns,
                         .fpp_full = fpp,
                         .fpp_double = std::nullopt};
    }
    case FilterType::kFuse: {
      BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
      BLOOMERY_ASSIGN_OR_RETURN(const FuseShape shape,
                                fuse_shape_for_fpp(plan.capacity, fpp, plan.options.setting));
      return PlannedSize{.bits = predicted_fuse_bytes(plan.capacity, fpp, plan.options.setting) * 8,
                         .hash_count = shape.bits,
                         .fpp_full = std::ldexp(1.0, -static_cast<int>(shape.bits)),
                         .fpp_double = std::nullopt};
    }
    case FilterType::kExact:
      break;
  }
  return Error::invalid_argument(
      "filter plan", std::string("expected a type that has a size, found ") + filter_type_name(plan.type));
}

}  // namespace bloomery
