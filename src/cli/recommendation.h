// `estimate`: recommends a type of filter for what is known about the keys, with reasons.
//
//   needs           type             because
//   --forgets W     windowed         no other type expires keys
//   --removes       quotient         a quarter of counting's bits; it also grows
//   --grows         scalable         its fpp stays below the bound, however many keys are inserted
//   --static        ribbon           the fewest bits of all types
//   no need         blocked:fast     the fastest; accepts more keys later
//
// The first row that applies decides. --from-strangers adds a keyed hash to any of them. Source:
// docs/which-filter.md. verb_estimate.cc prints; build_costs.h has the costs of a build.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_plan.h"
#include "cli/filter_choice.h"

namespace bloomery::cli {

struct FilterNeeds {
  std::string forgets = {};  // as for --window
  bool removes = false;
  bool grows = false;
  bool is_static = false;
  bool from_strangers = false;

  bool has_type_needs() const { return removes || grows || is_static || !forgets.empty(); }
};

struct Recommendation {
  FilterPlan type;     // without a size
  std::string reason;  // complete sentences
};

// Errors: kInvalidArgument if no type meets all needs.
Result<Recommendation> recommend(const FilterNeeds& needs);

// Returns the command line that builds the filter of a plan, which includes its size.
std::string build_command(const FilterPlan& plan, const FilterNeeds& needs);

// Returns the smallest fpp with which a filter of plan.capacity keys needs at most `bytes` in a file. Errors:
// kInvalidArgument if even an fpp of 0.5 needs more.
Result<double> fpp_that_fits(FilterPlan plan, std::uint64_t bytes);

// Returns the largest number of keys for which a filter with the plan's fpp needs at most `bytes` in a file.
// Errors: kInvalidArgument if not even one key fits, or for an impossible fpp.
Result<std::uint64_t> keys_that_fit(FilterPlan plan, std::uint64_t bytes);

}  // namespace bloomery::cli
