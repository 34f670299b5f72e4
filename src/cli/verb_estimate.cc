// bloomery estimate: tells what a filter will cost, before there is one.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bloomery/filter/sizing.h"
#include "cli/exit_status.h"
#include "cli/filter_choice.h"
#include "cli/numbers.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDescription =
    R"(Say what a filter takes: bits, bytes, k, and how often it will be wrong.

  bloomery estimate -n 1e10 -p 1e-4
  bloomery estimate -n 80000 --bits-per-key 20
  bloomery estimate -n 1e9 -p 0.01 --miss-rate 0.9 --read-cost 100e-6 --skip-cost 100e-9)";

struct Options {
  std::string count;
  FilterWish wish;
  std::string miss_rate;
  std::string read_cost;
  std::string skip_cost = "0";
};

Status print_costs(const Options& options, double fpp) {
  if (options.miss_rate.empty() && options.read_cost.empty()) {
    return {};
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
  fmt::print(
      "\nwrong maybes cost {:.4g} per look-up (miss rate {:.4g} x fpp {} x (read {:.4g} - skip {:.4g}))\n",
      wrong_maybe_cost(costs, fpp), costs.miss_rate, show_probability(fpp), costs.read, costs.skip);
  fmt::print("without a filter the absent keys cost {:.4g} per look-up\n", costs.miss_rate * costs.read);
  if (const double least = least_useful_fpp(costs); least >= 1) {
    fmt::print("no filter pays: asking it costs every look-up more than the reads it can save\n");
  } else if (costs.skip == 0) {
    fmt::print("more bits always pay: a skip is said to cost nothing (--skip-cost)\n");
  } else {
    fmt::print(
        "below an fpp of {} more bits stop paying: the wrong maybes then cost less than asking the filter\n",
        show_probability(least));
  }
  return {};
}

void print_row(const FilterPlan& plan, const PlannedSize& size) {
  const auto bits = static_cast<double>(size.bits);
  const auto keys = static_cast<double>(std::max<std::uint64_t>(plan.capacity, 1));
  fmt::print("{:13} {:>19} {:>12} {:>12} {:>4} {:>13.4g} {:>13} {:>13}\n", plan.type_name(),
             show_count(size.bits), show_bytes(bits / 8), show_binary_bytes(bits / 8), size.hash_count,
             bits / keys, show_probability(size.fpp_full),
             size.fpp_double ? show_probability(*size.fpp_double) : "static");
}

// Prints the textbook's k before and after rounding, because people compute it by hand.
void print_rounding(const FilterPlan& plan, const PlannedSize& size) {
  if (plan.type == FilterType::kBloom && plan.fpp) {
    fmt::print("\nbloom: k = {:.2f} rounded to {}; fpp asked {}, resulting {}\n", ideal_hash_count(*plan.fpp),
               size.hash_count, show_probability(*plan.fpp), show_probability(size.fpp_full));
  }
}

Status estimate(const Options& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const FilterPlan type, planned_type(options.wish));
  const bool all = options.wish.type.empty();
  std::vector<FilterPlan> plans = all ? plain_types() : std::vector{type};
  if (all && !options.wish.bits_per_key.empty()) {  // a scalable filter's bits depend on how far it grows
    std::erase_if(plans, [](const FilterPlan& plan) { return plan.type == FilterType::kScalable; });
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t count, parse_count("-n", options.count));
  std::vector<PlannedSize> sizes;
  for (FilterPlan& plan : plans) {
    BLOOMERY_ASSIGN_OR_RETURN(plan, sized(plan, count, options.wish));
    BLOOMERY_ASSIGN_OR_RETURN(const PlannedSize size, planned_size(plan));
    sizes.push_back(size);
  }
  fmt::print("{:13} {:>19} {:>12} {:>12} {:>4} {:>13} {:>13} {:>13}\n", "type", "bits", "bytes", "", "k",
             "bits per key", "fpp when full", "fpp at 2n");
  for (std::size_t i = 0; i < plans.size(); ++i) {
    print_row(plans[i], sizes[i]);
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    print_rounding(plans[i], sizes[i]);
  }
  return print_costs(options, sizes.front().fpp_full);
}

}  // namespace

void add_estimate_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("estimate", kDescription);
  const auto options = std::make_shared<Options>();
  verb->add_option("-n,--capacity", options->count, "keys, such as 1000000 or 1e6")->required();
  options->wish.add_to(*verb);
  verb->get_option("--type")->description("only this type: " + type_names());
  verb->add_option("--miss-rate", options->miss_rate, "share of look-ups whose key is absent");
  verb->add_option("--read-cost", options->read_cost, "of going to look, in any unit");
  verb->add_option("--skip-cost", options->skip_cost, "of asking the filter, in the same unit (default 0)");
  verb->callback([options, &exit_status] {
    const Status status = estimate(*options);
    exit_status = status ? static_cast<int>(kDone) : report("estimate", status.error());
  });
}

}  // namespace bloomery::cli
