// A plan of a filter whose type is known only at run time. A program can ask for its size before it makes
// the filter.
//
// Example:
//    const FilterPlan plan{.type = FilterType::kQuotient, .capacity = 1'000'000, .fpp = 0.001};
//    const std::uint64_t bits = planned_size(plan)->bits;   // before there is a filter
//    auto filter = make_filter(plan);                       // an empty Result<AnyFilter> (any_filter.h)
//
// A program that knows the type at compile time calls the type's for_capacity() instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"

namespace bloomery {

struct FilterPlan {
  FilterType type = FilterType::kBlocked;
  std::uint64_t capacity = 0;  // distinct keys; for kScalable in the first layer, for kWindowed in a window
  // Exactly one of these two is set.
  std::optional<double> fpp = {};
  std::optional<double> bits_per_key = {};
  // If above 0: up to this many different keys the filter is an ExactSet, which needs 16 to 24 bytes a key
  // in a file.
  std::uint64_t exact_below = 0;
  FilterOptions options = {};

  // Returns "bloom", "blocked:fast", "blocked:dense", "ribbon" and so on, in the spelling of `-t`.
  std::string type_name() const;
};

// The size that a filter of a plan would have. If it begins as an exact set, this is the size of the filter
// that the set becomes.
struct PlannedSize {
  std::uint64_t bits = 0;            // AnyFilter::bits(); for kScalable of its first layer
  std::uint32_t hash_count = 0;      // AnyFilter::hash_count()
  double fpp_full = 0;               // the fpp with `capacity` keys
  std::optional<double> fpp_double;  // the fpp with twice as many keys; empty if static
};

// Errors: kInvalidArgument or kCapacity from the type's sizing. Also kInvalidArgument unless exactly one of
// fpp and bits per key is set, or if no filter of the type has so few bits per key.
Result<PlannedSize> planned_size(const FilterPlan& plan);

// Returns the target fpp of a plan: its own, or the least that its bits per key allow.
Result<double> planned_fpp(const FilterPlan& plan);

}  // namespace bloomery
