#include "cli/build_costs.h"

#include <algorithm>
#include <array>
#include <string>

#include "bloomery/filter/fuse_builder.h"
#include "bloomery/filter/ribbon_builder.h"
#include "bloomery/hash/hash128.h"
#include "cli/waiting_hashes.h"

namespace bloomery::cli {
namespace {

constexpr std::array<MeasuredBuild, 10> kMeasured = {{
    {.type = "blocked:fast",
     .ns_per_key = 15.28,
     .keys = 100'000'000,
     .row = "100000000,blocked:fast,build,100000000,",
     .file = "docs/data/ribbon-speed.csv"},
    {.type = "blocked:dense",
     .ns_per_key = 19.67,
     .keys = 100'000'000,
     .row = "100000000,blocked:dense,insert,1024,",
     .file = "docs/data/blocked-bloom-speed.csv"},
    {.type = "ribbon",
     .ns_per_key = 71.07,
     .keys = 100'000'000,
     .row = "100000000,ribbon,build,100000000,",
     .file = "docs/data/ribbon-speed.csv"},
    {.type = "fuse",
     .ns_per_key = 57.65,
     .keys = 10'000'000,
     .row = "10000000,8,fuse,build,",
     .file = "docs/data/static-filters.csv"},
    {.type = "fuse:dense",
     .ns_per_key = 58.10,
     .keys = 10'000'000,
     .row = "10000000,8,fuse:dense,build,",
     .file = "docs/data/static-filters.csv"},
    {.type = "bloom",
     .ns_per_key = 202.87,
     .keys = 100'000'000,
     .row = "100000000,textbook,build,100000000,",
     .file = "docs/data/ribbon-speed.csv"},
    {.type = "counting",
     .ns_per_key = 87.5025,
     .keys = 10'000'000,
     .row = "load,counting,10000000,0.95,insert ns,",
     .file = "docs/data/deletable.csv"},
    {.type = "quotient",
     .ns_per_key = 276.231,
     .keys = 10'000'000,
     .row = "load,quotient,10000000,0.95,insert ns,",
     .file = "docs/data/deletable.csv"},
    {.type = "scalable",
     .ns_per_key = 304.391,
     .keys = 1'000'000,
     .row = "types,scalable,1000000,0.001,insert ns,",
     .file = "docs/data/deletable.csv"},
    {.type = "windowed",
     .ns_per_key = 7.11868,
     .keys = 1'000'000,
     .row = "types,windowed,1000000,0.001,insert ns,",
     .file = "docs/data/deletable.csv"},
}};

}  // namespace

const MeasuredBuild& measured_build(const FilterPlan& plan) {
  const std::string name = plan.type == FilterType::kWindowed ? "windowed" : plan.type_name();
  const auto* const found = std::ranges::find(kMeasured, std::string_view(name), &MeasuredBuild::type);
  return found != kMeasured.end() ? *found : kMeasured.front();
}

Result<BuildCosts> build_costs(FilterPlan plan, std::uint64_t keys) {
  plan.capacity = keys;
  BLOOMERY_ASSIGN_OR_RETURN(const PlannedSize size, planned_size(plan));
  BuildCosts costs{.filter_bytes = size.bits / 8,
                   .spool_bytes = 0,
                   .seconds = measured_build(plan).ns_per_key * static_cast<double>(keys) / 1e9};
  if (is_static_type(plan.type)) {
    BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
    const StaticBuildOptions options{.filter = plan.options};
    const StaticBuildNeeds needs = plan.type == FilterType::kRibbon ? ribbon_build_needs(keys, fpp, options)
                                                                    : fuse_build_needs(keys, fpp, options);
    costs.filter_bytes = needs.filter_bytes;
    costs.spool_bytes = needs.spool_bytes;
  } else if (plan.type != FilterType::kScalable) {
    const std::uint64_t hashes = keys * sizeof(Hash128);
    costs.spool_bytes = hashes - std::min(hashes, kWaitingMemory);
  }
  return costs;
}

}  // namespace bloomery::cli
