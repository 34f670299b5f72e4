#include "cli/filter_choice.h"

#include <algorithm>
#include <chrono>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "bloomery/filter/block_list.h"
#include "bloomery/filter/default_fpp.h"
#include "cli/numbers.h"

namespace bloomery::cli {
namespace {

// Parses --window: a duration if it has a unit, otherwise a number of keys.
Result<Window> parse_window(const FilterWish& wish) {
  Window window;
  if (wish.window.empty()) {
    return Error::invalid_argument("--window",
                                   "expected with -t windowed how many keys or how long it remembers: "
                                   "--window 1e6 or --window 1h");
  }
  if (const Result<std::uint64_t> time = parse_duration("--window", wish.window); time) {
    window.kind = WindowKind::kAge;
    window.length = *time;
  } else if (const Result<std::uint64_t> count = parse_count("--window", wish.window); count) {
    window.length = *count;
  } else {
    const char last = wish.window.back();
    return last >= 'a' && last <= 'z' ? time.error() : count.error();
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

Result<std::size_t> parse_questions(const std::string& text) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t questions, parse_count("--questions", text));
  constexpr std::uint64_t kMost = 1000;  // more than a text of any form asks
  if (questions == 0 || questions > kMost) {
    return Error::invalid_argument("--questions", "expected a number from 1 to 1,000, found " + text);
  }
  return static_cast<std::size_t>(questions);
}

// Returns the plan of the requested type, without a size.
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
    if (plan.exact_below != 0 && (is_static_type(plan.type) || plan.type == FilterType::kWindowed)) {
      return Error::invalid_argument("--exact-below",
                                     "expected a type that an exact set can become, found " + name);
    }
  }
  return plan;
}

}  // namespace

std::string refuse_empty(const std::string& text) {
  return text.empty() ? "expected a number, found ''" : "";
}

void FilterWish::add_to(CLI::App& verb, const std::string& of_capacity) {
  verb.add_option("-n,--capacity", capacity, of_capacity)->check(refuse_empty);
  verb.add_option(
          "-p,--fpp", fpp,
          fmt::format("false-positive probability, between 0 and 1, such as 1e-4 or 1% (default {:g})",
                      kDefaultFpp))
      ->check(refuse_empty);
  verb.add_option("--bits-per-key", bits_per_key, "size instead of probability")->check(refuse_empty);
  verb.add_option("-t,--type", type, type_names());
  verb.add_option("--window", window,
                  "windowed: the keys (1e6) or the time (90s, 5m, 1h30m, 7d) that it remembers at least");
  verb.add_option("--questions", questions,
                  "block lists: -p is for a text that asks so many questions (default: the most one can ask)")
      ->check(refuse_empty);
  verb.add_option("--generations", generations, "windowed: it forgets in so many steps, 1 to 64 (default 4)");
}

const std::vector<FilterPlan>& plain_types() {
  static const std::vector<FilterPlan> types = {
      {.type = FilterType::kBlocked, .options = {.setting = BlockedSetting::kFast}},
      {.type = FilterType::kBlocked, .options = {.setting = BlockedSetting::kDense}},
      {.type = FilterType::kRibbon},
      {.type = FilterType::kFuse},
      {.type = FilterType::kFuse, .options = {.setting = BlockedSetting::kDense}},
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

Result<FilterChoice> FilterWish::parse() const {
  if (!fpp.empty() && !bits_per_key.empty()) {
    return Error::invalid_argument("arguments", "expected either -p or --bits-per-key, found both");
  }
  FilterChoice choice;
  BLOOMERY_ASSIGN_OR_RETURN(choice.type, planned_type(*this));
  if (!capacity.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(choice.capacity, parse_count("-n", capacity));
  }
  if (!fpp.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(choice.fpp, parse_probability("-p", fpp));
  }
  if (!bits_per_key.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(choice.bits_per_key, parse_real("--bits-per-key", bits_per_key));
  }
  if (!questions.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(choice.questions, parse_questions(questions));
  }
  return choice;
}

FilterPlan FilterChoice::sized(std::uint64_t keys, std::size_t questions_of_text) const {
  FilterPlan plan = type;
  plan.capacity = keys;
  plan.bits_per_key = bits_per_key;
  plan.fpp = assumes_fpp() ? kDefaultFpp : fpp;
  const std::size_t asked = questions.value_or(questions_of_text);
  if (plan.fpp && asked > 1) {
    plan.fpp = fpp_of_one_question(*plan.fpp, static_cast<double>(asked));
  }
  return plan;
}

}  // namespace bloomery::cli
