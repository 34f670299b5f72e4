// A plan of a filter whose type is known only when the program runs. A program can ask for its size before it
// makes the filter.
//
// Example:
//    const FilterPlan plan{.type = FilterType::kQuotient, .capacity = 1'000'000, .fpp = 0.001};
//    const std::uint64_t bits = planned_size(plan)->bits;   // before there is a filter
//    auto filter = make_filter(plan);                       // an empty Result<AnyFilter> (any_filter.h)
//
// A program that knows the type when it is compiled calls the type's for_capacity() instead.
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
  // Exactly one of these two is given.
  std::optional<double> fpp = {};
  std::optional<double> bits_per_key = {};
  // If above 0: up to this many different keys the filter is an ExactSet, which takes 16 to 24 bytes a key in
  // a file.
  std::uint64_t exact_below = 0;
  FilterOptions options = {};

  // Returns "bloom", "blocked:fast", "blocked:dense", "ribbon" and so on, as `-t` takes it.
  std::string type_name() const;
};

// The size that a filter of a plan would have. If it begins as an exact set, this is the size of what that
// becomes.
struct PlannedSize {
  std::uint64_t bits = 0;            // of the payload, as AnyFilter::bits(); for kScalable of its first layer
  std::uint32_t hash_count = 0;      // as AnyFilter::hash_count()
  double fpp_full = 0;               // with `capacity` keys
  std::optional<double> fpp_double;  // with twice as many; nothing for a filter that takes no more
};

// Errors: those of the type's sizing. Also kInvalidArgument unless either an fpp or bits per key are given,
// or if no filter of the type has so few bits per key.
Result<PlannedSize> planned_size(const FilterPlan& plan);

// Returns the fpp that a plan asks for: its own, or the least that its bits per key allow.
Result<double> planned_fpp(const FilterPlan& plan);

}  // namespace bloomery
