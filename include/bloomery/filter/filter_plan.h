// What a filter is to be, for programs that learn its type when they run: what it would take, and the making
// of it.
//
//   FilterPlan plan{.type = FilterType::kQuotient, .capacity = 1'000'000, .fpp = 0.001};
//   planned_size(plan)->bits             before there is one
//   make_filter(plan)                    Result<AnyFilter>, empty (any_filter.h)
//
// Who knows the type when compiling calls its for_capacity().
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"

namespace bloomery {

struct FilterPlan {
  FilterType type = FilterType::kBlocked;
  std::uint64_t capacity = 0;  // distinct keys; of kScalable for its first layer, of kWindowed in a window
  // One of the two.
  std::optional<double> fpp = {};
  std::optional<double> bits_per_key = {};
  // Above 0: up to so many different keys it is an ExactSet, which takes 16 to 24 bytes a key in a file.
  std::uint64_t exact_below = 0;
  FilterOptions options = {};

  // "bloom", "blocked:fast", "blocked:dense", "ribbon" and so on, as `-t` takes it.
  std::string type_name() const;
};

// What a filter of a plan would be; where it begins as an exact set, what that becomes.
struct PlannedSize {
  std::uint64_t bits = 0;            // of the payload, as AnyFilter::bits(); of kScalable its first layer
  std::uint32_t hash_count = 0;      // as AnyFilter::hash_count()
  double fpp_full = 0;               // with `capacity` keys
  std::optional<double> fpp_double;  // with twice as many; nothing for a filter that takes no more
};

// Errors: those of the type's sizing; kInvalidArgument unless either an fpp or bits per key are asked for, or
// where no filter of the type has so few bits per key.
Result<PlannedSize> planned_size(const FilterPlan& plan);

// The fpp a plan asks for: its own, or the least that its bits per key allow.
Result<double> planned_fpp(const FilterPlan& plan);

}  // namespace bloomery
