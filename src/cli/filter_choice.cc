#include "cli/filter_choice.h"

#include <algorithm>
#include <chrono>

#include "cli/numbers.h"

namespace bloomery::cli {
namespace {

// Reads --window: a time if it ends in a letter, otherwise a number of keys.
Result<Window> parse_window(const FilterWish& wish) {
  Window window;
  if (wish.window.empty()) {
    return Error::invalid_argument("--window",
                                   "expected with -t windowed how many keys or how long it remembers: "
                                   "--window 1e6 or --window 1h");
  }
  const char last = wish.window.back();
  if ((last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z')) {
    window.kind = WindowKind::kAge;
    BLOOMERY_ASSIGN_OR_RETURN(window.length, parse_duration("--window", wish.window));
  } else {
    BLOOMERY_ASSIGN_OR_RETURN(window.length, parse_count("--window", wish.window));
  }
  if (!wish.generations.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t generations,
                              parse_count("--generations", wish.generations));
    window.generations =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(generations, kMaxGenerations + 1));
  }
  BLOOMERY_RETURN_IF_ERROR(check_window(window));
  return window;
}

}  // namespace

void FilterWish::add_to(CLI::App& verb) {
  verb.add_option("-p,--fpp", fpp, "false-positive probability, between 0 and 1");
  verb.add_option("--bits-per-key", bits_per_key, "size instead of probability");
  verb.add_option("-t,--type", type, type_names());
  verb.add_option("--window", window,
                  "windowed: the keys (1e6) or the time (90s, 5m, 1h30m, 7d) that it remembers at least");
  verb.add_option("--generations", generations, "windowed: it forgets in so many steps, 1 to 64 (default 4)");
}

const std::vector<FilterPlan>& plain_types() {
  static const std::vector<FilterPlan> types = {
      {.type = FilterType::kBlocked, .options = {.setting = BlockedSetting::kFast}},
      {.type = FilterType::kBlocked, .options = {.setting = BlockedSetting::kDense}},
      {.type = FilterType::kRibbon},
      {.type = FilterType::kBloom},
      {.type = FilterType::kCounting},
      {.type = FilterType::kQuotient},
      {.type = FilterType::kScalable}};
  return types;
}

std::string type_names() {
  std::string names;
  for (const FilterPlan& type : plain_types()) {
    names += names.empty() ? "blocked or " + type.type_name() + " (default)" : ", " + type.type_name();
  }
  return names + ", windowed";
}

Result<FilterPlan> planned_type(const FilterWish& wish) {
  FilterPlan plan;
  const std::string name = wish.type.empty() || wish.type == "blocked" ? "blocked:fast" : wish.type;
  if (name == "windowed") {
    plan.type = FilterType::kWindowed;
    BLOOMERY_ASSIGN_OR_RETURN(plan.options.window, parse_window(wish));
  } else if (const auto found = std::ranges::find(plain_types(), name, &FilterPlan::type_name);
             found != plain_types().end()) {
    plan = *found;
  } else {
    return Error::invalid_argument("-t", "expected " + type_names() + "; found '" + wish.type + "'");
  }
  if (plan.type != FilterType::kWindowed && !(wish.window.empty() && wish.generations.empty())) {
    return Error::invalid_argument("--window, --generations",
                                   "expected only with -t windowed, found with -t " + name);
  }
  if (!wish.exact_below.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.exact_below, parse_count("--exact-below", wish.exact_below));
    if (plan.exact_below != 0 && (plan.type == FilterType::kRibbon || plan.type == FilterType::kWindowed)) {
      return Error::invalid_argument("--exact-below",
                                     "expected a type that an exact set can become, found " + name);
    }
  }
  return plan;
}

Result<WishedSize> wished_size(const FilterWish& wish) {
  if (wish.fpp.empty() == wish.bits_per_key.empty()) {
    return Error::invalid_argument("arguments", "expected either -p or --bits-per-key");
  }
  WishedSize size;
  if (!wish.fpp.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(size.fpp, parse_real("-p", wish.fpp));
  } else {
    BLOOMERY_ASSIGN_OR_RETURN(size.bits_per_key, parse_real("--bits-per-key", wish.bits_per_key));
  }
  return size;
}

Result<FilterPlan> sized(FilterPlan plan, std::uint64_t capacity, const FilterWish& wish) {
  BLOOMERY_ASSIGN_OR_RETURN(const WishedSize size, wished_size(wish));
  plan.capacity = capacity;
  plan.fpp = size.fpp;
  plan.bits_per_key = size.bits_per_key;
  return plan;
}

}  // namespace bloomery::cli
