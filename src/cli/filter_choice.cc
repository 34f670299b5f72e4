#include "cli/filter_choice.h"

#include <algorithm>

#include "cli/numbers.h"

namespace bloomery::cli {

const std::vector<FilterPlan>& all_types() {
  static const std::vector<FilterPlan> types = {
      {.type = FilterType::kBlocked, .setting = LineSetting::kFast},
      {.type = FilterType::kBlocked, .setting = LineSetting::kDense},
      {.type = FilterType::kRibbon},
      {.type = FilterType::kBloom},
      {.type = FilterType::kCounting},
      {.type = FilterType::kQuotient}};
  return types;
}

std::string type_names() {
  std::string names;
  for (const FilterPlan& type : all_types()) {
    names += names.empty() ? "blocked or " + type.type_name() + " (default)" : ", " + type.type_name();
  }
  return names;
}

Result<FilterPlan> parse_type(std::string_view text) {
  const std::string_view name = text == "blocked" ? "blocked:fast" : text;
  const auto found = std::ranges::find(all_types(), name, &FilterPlan::type_name);
  if (found == all_types().end()) {
    return Error::invalid_argument("-t", "expected " + type_names() + "; found '" + std::string(text) + "'");
  }
  return *found;
}

Result<FilterPlan> sized(FilterPlan plan, std::uint64_t capacity, const SizeWish& wish) {
  if (wish.fpp.empty() == wish.bits_per_key.empty()) {
    return Error::invalid_argument("arguments", "expected either -p or --bits-per-key");
  }
  plan.capacity = capacity;
  if (!wish.fpp.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.fpp, parse_real("-p", wish.fpp));
  } else {
    BLOOMERY_ASSIGN_OR_RETURN(plan.bits_per_key, parse_real("--bits-per-key", wish.bits_per_key));
  }
  return plan;
}

}  // namespace bloomery::cli
