// What a build takes: time, from the figures that the repository keeps, and the disk for what waits meanwhile.
//
// The figures are those of docs/data, each from one machine and for the largest number of keys that was measured.
// Reading and hashing the lines come on top. tests/cli/estimate_test.cc compares them with the files.
#pragma once

#include <cstdint>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_plan.h"

namespace bloomery::cli {

struct MeasuredBuild {
  std::string_view type;  // as FilterPlan::type_name(); "windowed" for all windows
  double ns_per_key;
  std::uint64_t keys;    // the number of keys at which it was measured
  std::string_view row;  // the beginning of the row in the file
  std::string_view file;
};

// Returns the measurement of the plan's type.
const MeasuredBuild& measured_build(const FilterPlan& plan);

struct BuildCosts {
  std::uint64_t filter_bytes;
  std::uint64_t spool_bytes;  // at most, of a stream without -n, with the default memory
  double seconds;
};

// Returns the costs of the plan's filter with `keys` keys. Errors: those of planned_size().
Result<BuildCosts> build_costs(FilterPlan plan, std::uint64_t keys);

}  // namespace bloomery::cli
