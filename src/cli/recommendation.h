// `estimate`: recommends a filter for what is known of the keys, with reasons.
//
//   needs           type             because
//   --forgets W     windowed         no other type expires keys
//   --removes       quotient         a fourth of the bits of counting; it also grows
//   --grows         scalable         its fpp stays, however many keys are inserted
//   --static        ribbon           the fewest bits of all
//   none of them    blocked:fast     the fastest; accepts more keys later
//
// The first row that applies decides. --from-strangers adds a secret hash to any of them.
// Source: docs/which-filter.md. verb_estimate.cc prints; build_costs.h has the costs of a build.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_plan.h"
#include "cli/filter_choice.h"

namespace bloomery::cli {

struct FilterNeeds {
  std::string forgets = {};  // as --window
  bool removes = false;
  bool grows = false;
  bool is_static = false;
  bool from_strangers = false;

  bool has_type_needs() const { return removes || grows || is_static || !forgets.empty(); }
};

struct Recommendation {
  FilterPlan type;     // without a size
  std::string reason;  // sentences
};

// Errors: kInvalidArgument if no type meets all needs.
Result<Recommendation> recommend(const FilterNeeds& needs);

// Returns the command line that builds the filter of a plan with a size.
std::string build_command(const FilterPlan& plan, const FilterNeeds& needs);

// Returns the least fpp at which a filter for plan.capacity keys needs at most `bytes` in a file. Errors:
// kInvalidArgument if even an fpp of a half needs more.
Result<double> fpp_that_fits(FilterPlan plan, std::uint64_t bytes);

// Returns the maximal number of keys for which a filter of the plan's fpp needs at most `bytes` in a file.
// Errors: kInvalidArgument if it has no room for one, or for an impossible fpp.
Result<std::uint64_t> keys_that_fit(FilterPlan plan, std::uint64_t bytes);

}  // namespace bloomery::cli
