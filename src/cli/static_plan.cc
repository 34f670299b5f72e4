#include "cli/static_plan.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include <fmt/core.h>
#include <sys/stat.h>

#include "bloomery/filter/fuse_builder.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "bloomery/hash/key_levels.h"
#include "cli/exception_list.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"

namespace bloomery::cli {
Result<RibbonBuildOptions> plan_static(const BuildPlan& plan, const HashSpec& hash) {
  RibbonBuildOptions build{.filter = {.hash = hash,
                                      .keys = plan.keys.treatment_for_new(),
                                      .setting = plan.filter.type.options.setting},
                           .memory_bytes = plan.memory_bytes,
                           .spool_directory = plan.spool_directory,
                           .metadata = plan.note};
  if (plan.filter.capacity) {
    // 0 would mean that the number is unknown
    build.capacity =
        std::max<std::uint64_t>(*plan.filter.capacity, 1) + KeyLevels::all_of(build.filter.keys.form).count();
  }
  if (plan.has_exceptions()) {
    build.memory_bytes -= ExceptionList::kLogMemory;
  }
  if (plan.part && plan.has_exceptions()) {
    return Error::invalid_argument(
        "--exceptions", "expected none with --shards: the whole is needed to find those that match");
  }
  if (plan.part) {
    build.part = plan.part->part;
    build.parts = plan.part->parts;
    if (build.capacity == 0) {
      return Error::invalid_argument(
          "-n", "expected the number of keys of the whole, since --shards builds a part");
    }
  }
  return build;
}

std::string output_directory(const BuildPlan& plan) {
  const std::string parent = std::filesystem::path(plan.output).parent_path().string();
  return plan.output == "-" ? "" : parent.empty() ? "." : parent;
}

bool on_one_disk(const std::string& a, const std::string& b) {
  struct stat of_a {};
  struct stat of_b {};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev;
}

Status check_room(const std::string& directory, std::uint64_t bytes) {
  std::error_code unknown;
  const auto room = std::filesystem::space(directory, unknown);
  if (unknown || bytes <= room.available) {
    return {};
  }
  return Error::capacity(directory, "expected room for " + show_bytes(bytes) + ", found " +
                                        show_bytes(room.available) +
                                        ": name another directory, or give more memory (--mem)");
}

namespace {

// Returns the maximum needs of a build. With exceptions, this excludes the memory of the finished exception
// column (2.1 bits per key) and of the exceptions that match.
RibbonBuildNeeds needs_of(const BuildPlan& plan, std::uint64_t keys, double fpp,
                          const RibbonBuildOptions& build) {
  if (plan.filter.type.type == FilterType::kFuse) {
    RibbonBuildNeeds needs = fuse_build_needs(keys, fpp, build);
    if (plan.has_exceptions()) {
      const std::uint64_t log = keys * sizeof(Hash128);
      needs.memory_bytes += ExceptionList::kLogMemory;
      needs.spool_bytes += needs.filter_bytes + (log - std::min(log, ExceptionList::kLogMemory));
    }
    return needs;
  }
  RibbonBuildNeeds needs = ribbon_build_needs(keys, fpp, build);
  if (plan.has_exceptions()) {
    RibbonBuildOptions with_column = build;
    with_column.rejecting = true;
    const RibbonBuildNeeds column = ribbon_build_needs(keys, 0.5, with_column);
    const std::uint64_t log = keys * sizeof(Hash128);
    needs.memory_bytes = std::max(needs.memory_bytes, column.memory_bytes) + ExceptionList::kLogMemory;
    needs.spool_bytes = std::max(needs.spool_bytes, column.spool_bytes) + needs.filter_bytes +
                        (log - std::min(log, ExceptionList::kLogMemory));
    needs.filter_bytes += column.filter_bytes;
  }
  return needs;
}

}  // namespace

Status state_needs(const BuildPlan& plan, double fpp, const RibbonBuildOptions& build) {
  // More keys than any memory holds, so that the spool is included.
  constexpr std::uint64_t kSampleKeys = 1'000'000'000'000;
  const bool counted = plan.filter.capacity.has_value();
  const RibbonBuildNeeds needs = needs_of(plan, counted ? build.capacity : kSampleKeys, fpp, build);
  const std::string target = output_directory(plan);
  if (counted) {
    const bool shared = !target.empty() && on_one_disk(target, build.spool_directory);
    BLOOMERY_RETURN_IF_ERROR(
        check_room(build.spool_directory, needs.spool_bytes + (shared ? needs.filter_bytes : 0)));
    if (!target.empty()) {
      BLOOMERY_RETURN_IF_ERROR(check_room(target, needs.filter_bytes));
    }
  }
  if (!plan.summary.wanted()) {
    return {};
  }
  // A filter for standard output is made in memory, and exists twice while it is copied.
  const std::uint64_t in_memory = target.empty() && counted ? 2 * needs.filter_bytes : 0;
  std::string memory = "at most " + show_bytes(needs.memory_bytes + in_memory) + " of memory";
  if (plan.has_exceptions()) {
    memory += fmt::format(" (with exceptions 2.1 bits a key and {} bytes for each that matches on top)",
                          ExceptionList::kBytesPerMatch);
  }
  if (counted) {
    const std::string spool = needs.spool_bytes == 0 ? "no spool"
                                                     : "at most " + show_bytes(needs.spool_bytes) +
                                                           " for a spool in " + build.spool_directory;
    warn("build", fmt::format("{} keys, repeats included, need {}, {}, and {} for the filter",
                              show_count(build.capacity), memory, spool, show_bytes(needs.filter_bytes)));
  } else {
    warn("build", fmt::format("needs {}; what that does not hold goes to a spool in {}, {:.2g} bytes a key",
                              memory, build.spool_directory,
                              static_cast<double>(needs.spool_bytes) / static_cast<double>(kSampleKeys)));
  }
  return {};
}

}  // namespace bloomery::cli
