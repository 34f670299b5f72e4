// The costs of a build: its time, from the repository's measurements, and the disk space of its spool.
//
// The measurements in docs/data come from one machine each, for the largest number of keys measured. They do
// not include reading and hashing the lines. tests/cli/estimate_test.cc compares this table with the files.
#pragma once

#include <cstdint>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_plan.h"

namespace bloomery::cli {

struct MeasuredBuild {
  std::string_view type;  // FilterPlan::type_name(); "windowed" for every window
  double ns_per_key;
  std::uint64_t keys;    // the number of keys of the measurement
  std::string_view row;  // the beginning of the row in the file
  std::string_view file;
};

// Returns the measurement of the plan's type.
const MeasuredBuild& measured_build(const FilterPlan& plan);

struct BuildCosts {
  std::uint64_t filter_bytes;
  std::uint64_t spool_bytes;  // the maximum: for a stream without -n, with the default memory
  double seconds;
};

// Returns the costs of building the plan's filter with `keys` keys. Errors: kInvalidArgument or kCapacity of
// planned_size().
Result<BuildCosts> build_costs(FilterPlan plan, std::uint64_t keys);

}  // namespace bloomery::cli
