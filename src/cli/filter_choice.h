// What `-t`, `-p` and `--bits-per-key` ask for, as a plan of a filter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_plan.h"

namespace bloomery::cli {

// What a filter is asked to be: by its errors or by its size.
struct SizeWish {
  std::string fpp;           // -p
  std::string bits_per_key;  // --bits-per-key; exactly one of the two is given
};

// Every type there is, as plans without a size, the default first.
const std::vector<FilterPlan>& all_types();

// Their names, for help and messages: "blocked or blocked:fast (default), blocked:dense, ...".
std::string type_names();

// The plan of the type that `text` names; `blocked` is `blocked:fast`. Errors: kInvalidArgument.
Result<FilterPlan> parse_type(std::string_view text);

// Puts the capacity and what is wished for into a plan. Errors: kInvalidArgument unless exactly one wish is
// given, and it is a number.
Result<FilterPlan> sized(FilterPlan plan, std::uint64_t capacity, const SizeWish& wish);

}  // namespace bloomery::cli
