// bloomery estimate: recommends a filter and predicts its costs, before it is built.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "bloomery/filter/block_list.h"
#include "bloomery/filter/default_fpp.h"
#include "bloomery/filter/sizing.h"
#include "cli/build_costs.h"
#include "cli/exit_status.h"
#include "cli/filter_choice.h"
#include "cli/numbers.h"
#include "cli/recommendation.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* kEstimateDescription =
    R"(Recommend a filter for what is known, with the reason, and say what each type takes and how often it errs.

  bloomery estimate -n 1e10 -p 1e-4
  bloomery estimate -n 1M --size 2MB                  # the fpp that fits
  bloomery estimate -p 0.1% --size 100MB --static     # the number of keys that fit
  bloomery estimate -n 1e6 --removes --from-strangers
  bloomery estimate -n 80000 --bits-per-key 20
  bloomery estimate -n 1e9 -p 0.01 --miss-rate 0.9 --read-cost 100e-6 --skip-cost 100e-9)";

// The number of keys, if no option names it.
constexpr std::uint64_t kUsualCount = 1'000'000;
constexpr std::uint64_t kBillion = 1'000'000'000;
// The measured times include only inserts. Each printed time says what it excludes, because users may quote
// the line alone.
constexpr const char* kNotInTheTime = "reading and hashing";

struct EstimateOptions {
  std::string size;
  FilterWish wish;
  FilterNeeds needs;
  std::string miss_rate;
  std::string read_cost;
  std::string skip_cost = "0";
  bool json = false;
};

// The filters of one estimate: the recommended one, or that of -t; and all filters in the table.
struct Estimate {
  FilterPlan plan = {};
  PlannedSize size = {};
  std::optional<Recommendation> recommendation = {};  // nothing with -t
  std::string assumed = {};                           // "-n 1,000,000, -p 0.001"
  std::size_t questions = 1;                          // --questions
  std::string fitted = {};  // what --size determined: "the fpp" or "the number of keys"
  std::vector<FilterPlan> plans = {};
  std::vector<PlannedSize> sizes = {};
};

struct LookUpCosts {
  MaybeCosts costs = {};
  double wrong_maybes = 0;
  double without_filter = 0;
  double least_fpp = 0;  // with a smaller fpp, the additional bits do not pay; 1: no filter pays
};

// Returns nothing if neither --miss-rate nor --read-cost was given.
Result<std::optional<LookUpCosts>> look_up_costs(const EstimateOptions& options, double fpp) {
  if (options.miss_rate.empty() && options.read_cost.empty()) {
    return std::optional<LookUpCosts>();
  }
  MaybeCosts costs;
  BLOOMERY_ASSIGN_OR_RETURN(costs.miss_rate, parse_real("--miss-rate", options.miss_rate));
  BLOOMERY_ASSIGN_OR_RETURN(costs.read, parse_real("--read-cost", options.read_cost));
  BLOOMERY_ASSIGN_OR_RETURN(costs.skip, parse_real("--skip-cost", options.skip_cost));
  if (costs.miss_rate < 0 || costs.miss_rate > 1 || costs.skip < 0 || costs.read <= costs.skip) {
    return Error::invalid_argument("costs",
                                   "expected a miss rate from 0 to 1, a skip cost of at least 0, and a read "
                                   "that costs more than a skip");
  }
  return std::optional(LookUpCosts{.costs = costs,
                                   .wrong_maybes = wrong_maybe_cost(costs, fpp),
                                   .without_filter = costs.miss_rate * costs.read,
                                   .least_fpp = least_useful_fpp(costs)});
}

void print_costs(const LookUpCosts& look_up, double fpp) {
  const MaybeCosts& costs = look_up.costs;
  fmt::print(
      "\nwrong maybes cost {:.4g} per look-up (miss rate {:.4g} x fpp {} x (read {:.4g} - skip {:.4g}))\n",
      look_up.wrong_maybes, costs.miss_rate, show_probability(fpp), costs.read, costs.skip);
  fmt::print("without a filter the absent keys cost {:.4g} per look-up\n", look_up.without_filter);
  if (look_up.least_fpp >= 1) {
    fmt::print("no filter pays: asking it costs every look-up more than the reads it can save\n");
  } else if (costs.skip == 0) {
    fmt::print("more bits always pay: a skip is said to cost nothing (--skip-cost)\n");
  } else {
    fmt::print(
        "below an fpp of {} more bits stop paying: the wrong maybes then cost less than asking the filter\n",
        show_probability(look_up.least_fpp));
  }
}

void print_row(const FilterPlan& plan, const PlannedSize& size) {
  const auto bits = static_cast<double>(size.bits);
  const auto keys = static_cast<double>(std::max<std::uint64_t>(plan.capacity, 1));
  fmt::print("{:13} {:>19} {:>12} {:>12} {:>4} {:>13.4g} {:>13} {:>13}\n", plan.type_name(),
             show_count(size.bits), show_bytes(bits / 8), show_binary_bytes(bits / 8), size.hash_count,
             bits / keys, show_probability(size.fpp_full),
             size.fpp_double ? show_probability(*size.fpp_double) : "static");
}

// Prints k of the textbook formula before and after rounding, because users compute it by hand.
void print_rounding(const FilterPlan& plan, const PlannedSize& size) {
  if (plan.type == FilterType::kBloom && plan.fpp) {
    fmt::print("\nbloom: k = {:.2f} rounded to {}; fpp asked {}, resulting {}\n", ideal_hash_count(*plan.fpp),
               size.hash_count, show_probability(*plan.fpp), show_probability(size.fpp_full));
  }
}

Status check_estimate_options(const EstimateOptions& options) {
  const FilterWish& wish = options.wish;
  if (!wish.type.empty() && options.needs.has_type_needs()) {
    return Error::invalid_argument(
        "-t", "expected none with --removes, --grows, --static or --forgets, which choose it");
  }
  if (!options.size.empty() && !wish.bits_per_key.empty()) {
    return Error::invalid_argument("--size, --bits-per-key", "expected one of them");
  }
  return {};
}

// Sets the plan of the estimate: its size is as given, as found for --size, or assumed.
Status size_plan(const EstimateOptions& options, const FilterChoice& choice, Estimate& estimate) {
  const auto assume = [&estimate](const std::string& text) {
    estimate.assumed += (estimate.assumed.empty() ? "" : ", ") + text;
  };
  const Window& window = choice.type.options.window;
  const bool by_count = choice.type.type == FilterType::kWindowed && window.kind == WindowKind::kCount;
  const std::uint64_t count = choice.capacity.value_or(by_count ? window.length : kUsualCount);
  if (!choice.capacity && options.size.empty() && !by_count) {
    assume("-n " + show_count(count));
  }
  const bool finds_fpp = !options.size.empty() && (by_count || choice.capacity);
  if (finds_fpp && choice.fpp) {
    return Error::invalid_argument(
        "--size",
        "expected with -n, which leaves the fpp to find, or with -p, which leaves the number of keys; found "
        "both");
  }
  if (choice.assumes_fpp() && !finds_fpp) {
    assume("-p " + show_probability(kDefaultFpp));
  }
  estimate.plan = choice.sized(count);
  if (options.size.empty()) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t bytes, parse_size("--size", options.size));
  if (finds_fpp) {
    BLOOMERY_ASSIGN_OR_RETURN(estimate.plan.fpp, fpp_that_fits(estimate.plan, bytes));
    estimate.fitted = "the fpp";
  } else {
    BLOOMERY_ASSIGN_OR_RETURN(estimate.plan.capacity, keys_that_fit(estimate.plan, bytes));
    estimate.fitted = "the number of keys";
  }
  return {};
}

// Returns the plans for the table: all types, or only that of -t.
std::vector<FilterPlan> table_plans(const Estimate& estimate) {
  const FilterPlan& wanted = estimate.plan;
  if (!estimate.recommendation) {
    return {wanted};
  }
  std::vector<FilterPlan> plans = plain_types();
  if (wanted.bits_per_key && wanted.type != FilterType::kScalable) {
    // the bits of a scalable filter depend on how far it grows
    std::erase_if(plans, [](const FilterPlan& plan) { return plan.type == FilterType::kScalable; });
  }
  if (wanted.type == FilterType::kWindowed) {
    plans.push_back(wanted);
  }
  for (FilterPlan& plan : plans) {
    plan.capacity = wanted.capacity;
    plan.fpp = wanted.fpp;
    plan.bits_per_key = wanted.bits_per_key;
  }
  return plans;
}

Result<Estimate> make_estimate(const EstimateOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_estimate_options(options));
  BLOOMERY_ASSIGN_OR_RETURN(FilterChoice choice, options.wish.parse());
  Estimate estimate;
  if (options.wish.type.empty() && options.wish.window.empty() && options.wish.generations.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(estimate.recommendation, recommend(options.needs));
    choice.type = estimate.recommendation->type;
  }
  estimate.questions = choice.questions.value_or(1);
  BLOOMERY_RETURN_IF_ERROR(size_plan(options, choice, estimate));
  BLOOMERY_ASSIGN_OR_RETURN(estimate.size, planned_size(estimate.plan));
  estimate.plans = table_plans(estimate);
  // A type that cannot have the fpp is not in the table.
  std::erase_if(estimate.plans, [](const FilterPlan& plan) { return !planned_size(plan); });
  for (const FilterPlan& plan : estimate.plans) {
    BLOOMERY_ASSIGN_OR_RETURN(const PlannedSize size, planned_size(plan));
    estimate.sizes.push_back(size);
  }
  return estimate;
}

void print_recommendation(const EstimateOptions& options, const Estimate& estimate) {
  const FilterPlan& plan = estimate.plan;
  if (!estimate.fitted.empty()) {
    fmt::print("into {}: {} keys at fpp {} ({} was found)\n", options.size, show_count(plan.capacity),
               show_probability(plan.fpp.value_or(estimate.size.fpp_full)), estimate.fitted);
  }
  if (estimate.recommendation) {
    fmt::print("recommended: {}, because {}\n  {}\n", plan.type_name(), estimate.recommendation->reason,
               build_command(plan, options.needs));
  }
  if (!estimate.assumed.empty()) {
    fmt::print("assumed: {}\n", estimate.assumed);
  }
  fmt::print("\n");
}

// Returns the numbers of keys whose costs are printed: the requested one, and a billion.
std::vector<std::uint64_t> shown_counts(const FilterPlan& plan) {
  return plan.capacity == kBillion ? std::vector{kBillion} : std::vector{plan.capacity, kBillion};
}

void print_build_costs(const FilterPlan& plan) {
  const MeasuredBuild& measured = measured_build(plan);
  fmt::print("\nto build {}{:>19} {:>12} {:>16} {:>10}\n", plan.type_name(), "keys", "file",
             "spool of a pipe", "time");
  const int indent = 9 + static_cast<int>(plan.type_name().size());
  for (const std::uint64_t keys : shown_counts(plan)) {
    if (const Result<BuildCosts> costs = build_costs(plan, keys)) {
      fmt::print("{:{}}{:>19} {:>12} {:>16} {:>10} + {}\n", "", indent, show_count(keys),
                 show_bytes(costs->filter_bytes),
                 costs->spool_bytes == 0 ? "none" : show_bytes(costs->spool_bytes),
                 fmt::format("{:.3g} s", costs->seconds), kNotInTheTime);
    }
  }
  fmt::print("time: {:.3g} ns a key, as measured at {} keys ({}); {} the lines come on top\n",
             measured.ns_per_key, show_count(measured.keys), measured.file, kNotInTheTime);
}

void print_questions(const Estimate& estimate) {
  if (estimate.questions > 1) {
    const double fpp = estimate.size.fpp_full;
    fmt::print("\na text that asks {} questions: fpp {}, of which {} is of one (the columns above)\n",
               estimate.questions, show_probability(joint_fpp(fpp, static_cast<double>(estimate.questions))),
               show_probability(fpp));
  }
}

void print_estimate_text(const EstimateOptions& options, const Estimate& estimate,
                         const std::optional<LookUpCosts>& costs) {
  print_recommendation(options, estimate);
  fmt::print("{:13} {:>19} {:>12} {:>12} {:>4} {:>13} {:>13} {:>13}\n", "type", "bits", "bytes", "", "k",
             "bits per key", "fpp when full", "fpp at 2n");
  for (std::size_t i = 0; i < estimate.plans.size(); ++i) {
    print_row(estimate.plans[i], estimate.sizes[i]);
  }
  for (std::size_t i = 0; i < estimate.plans.size(); ++i) {
    print_rounding(estimate.plans[i], estimate.sizes[i]);
  }
  print_questions(estimate);
  print_build_costs(estimate.plan);
  if (costs) {
    print_costs(*costs, estimate.size.fpp_full);
  }
}

ordered_json describe_size(const FilterPlan& plan, const PlannedSize& size) {
  ordered_json object = {{"type", plan.type_name()},
                         {"keys", plan.capacity},
                         {"bits", size.bits},
                         {"bits_per_key", static_cast<double>(size.bits) /
                                              static_cast<double>(std::max<std::uint64_t>(plan.capacity, 1))},
                         {"hash_count", size.hash_count},
                         {"fpp_full", size.fpp_full}};
  object["fpp_double"] = size.fpp_double ? ordered_json(*size.fpp_double) : ordered_json(nullptr);
  return object;
}

void print_estimate_json(const EstimateOptions& options, const Estimate& estimate,
                         const std::optional<LookUpCosts>& costs) {
  ordered_json object;
  ordered_json& chosen = object["recommended"] = describe_size(estimate.plan, estimate.size);
  if (estimate.recommendation) {
    chosen["reason"] = estimate.recommendation->reason;
    chosen["command"] = build_command(estimate.plan, options.needs);
  }
  if (estimate.plan.fpp) {
    object["fpp"] = *estimate.plan.fpp;
  }
  object["assumed"] = estimate.assumed;
  if (estimate.questions > 1) {
    object["questions"] = estimate.questions;
    object["joint_fpp"] = joint_fpp(estimate.size.fpp_full, static_cast<double>(estimate.questions));
  }
  object["types"] = ordered_json::array();
  for (std::size_t i = 0; i < estimate.plans.size(); ++i) {
    object["types"].push_back(describe_size(estimate.plans[i], estimate.sizes[i]));
  }
  object["build"] = ordered_json::array();
  for (const std::uint64_t keys : shown_counts(estimate.plan)) {
    if (const Result<BuildCosts> build = build_costs(estimate.plan, keys)) {
      object["build"].push_back({{"keys", keys},
                                 {"filter_bytes", build->filter_bytes},
                                 {"spool_bytes", build->spool_bytes},
                                 {"seconds", build->seconds},
                                 {"not_in_seconds", kNotInTheTime},
                                 {"source", measured_build(estimate.plan).file}});
    }
  }
  if (costs) {
    object["look_up"] = {{"wrong_maybes", costs->wrong_maybes},
                         {"without_filter", costs->without_filter},
                         {"least_useful_fpp", costs->least_fpp}};
  }
  fmt::print("{}\n", object.dump(2));
}

Status estimate(const EstimateOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const Estimate estimate, make_estimate(options));
  BLOOMERY_ASSIGN_OR_RETURN(const auto costs, look_up_costs(options, estimate.size.fpp_full));
  (options.json ? print_estimate_json : print_estimate_text)(options, estimate, costs);
  return {};
}

}  // namespace

void add_estimate_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("estimate", kEstimateDescription);
  const auto options = std::make_shared<EstimateOptions>();
  options->wish.add_to(*verb, "keys, such as 1000000, 1e6 or 1M (default 1M)");
  verb->get_option("--type")->description("only this type: " + type_names());
  verb->add_option("--size", options->size,
                   "the bytes that there are, such as 100MB: finds the fpp for -n, or the keys for -p")
      ->check(refuse_empty);
  const std::string needs = "What the filter must do";
  verb->add_flag("--removes", options->needs.removes, "keys are taken out again")->group(needs);
  verb->add_flag("--grows", options->needs.grows, "nobody knows how many keys will come")->group(needs);
  verb->add_flag("--static", options->needs.is_static, "all keys are known when it is built")->group(needs);
  verb->add_option("--forgets", options->needs.forgets,
                   "old keys go by themselves, after so many keys (1e6) or a time (1h)")
      ->group(needs)
      ->check(refuse_empty);
  verb->add_flag("--from-strangers", options->needs.from_strangers, "others choose the keys")->group(needs);
  verb->add_option("--miss-rate", options->miss_rate, "share of look-ups whose key is absent");
  verb->add_option("--read-cost", options->read_cost, "of going to look, in any unit");
  verb->add_option("--skip-cost", options->skip_cost, "of asking the filter, in the same unit (default 0)");
  verb->add_flag("--json", options->json, "print one JSON object");
  verb->callback([options, &exit_status] {
    const Status status = estimate(*options);
    exit_status = status ? static_cast<int>(kDone) : report("estimate", status.error());
  });
}

}  // namespace bloomery::cli
