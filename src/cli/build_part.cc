#include "cli/build_part.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/ribbon_plan.h"
#include "cli/stop_signal.h"
#include "filter/ribbon/ribbon_part.h"
#include "filter/ribbon/shard_line.h"

namespace bloomery::cli {
namespace {

using RangeFiles = std::vector<std::unique_ptr<RangeFile>>;

// Refuses options that change the hashes, because --partition has already computed them.
Status check_no_hashing(const BuildOptions& options, const RangeFiles& files) {
  if (options.keyed || !options.keys.key_file().empty() || options.seed != "0") {
    return Error::invalid_argument(
        "--shards", "expected no --seed, --keyed or --key-file with range files, which record it");
  }
  const KeyTreatment given = options.keys.treatment_for_new();
  const KeyTreatment& recorded = files.front()->front().native.keys;
  if (given != KeyTreatment{} && given != of_any_width(recorded)) {
    return Error::invalid_argument(
        files.front()->path(),
        "expected keys as the options say, found keys of the form " + describe(recorded));
  }
  if (options.has_exceptions() || options.strict || options.output == "-") {
    return Error::invalid_argument("--shards",
                                   "expected no --exceptions, no --strict and a file with range files");
  }
  return {};
}

Result<RangeFiles> open_range_files(const BuildOptions& options) {
  RangeFiles files;
  for (const std::string& name : options.files) {
    BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<RangeFile> file, RangeFile::open(FileSystem::real(), name));
    files.push_back(std::move(file));
  }
  return files;
}

Result<RibbonPartPlan> plan_part(const BuildOptions& options, const RangeFiles& files) {
  if (options.part.empty()) {
    const SpreadEnvelope& found = files.front()->front().envelope;
    return Error::invalid_argument(
        files.front()->path(),
        fmt::format("is a range file: expected --shards {}/{}, to build its part", found.index, found.count));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const PartChoice choice, parse_part(options.part));
  RibbonPartPlan plan{.part = choice.part, .parts = choice.parts, .note = options.note};
  BLOOMERY_RETURN_IF_ERROR(check_range_files(files, plan));
  if (!options.count.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.capacity, parse_count("-n", options.count));
    plan.capacity = std::max<std::uint64_t>(plan.capacity, 1);
  }
  BLOOMERY_ASSIGN_OR_RETURN(plan.fpp, ribbon_fpp(options, planned_capacity(files, plan)));
  BLOOMERY_ASSIGN_OR_RETURN(plan.threads, part_threads(options));
  return plan;
}

}  // namespace

Result<double> ribbon_fpp(const BuildOptions& options, std::uint64_t capacity) {
  BLOOMERY_ASSIGN_OR_RETURN(const FilterPlan size,
                            sized({.type = FilterType::kRibbon}, capacity, options.wish));
  return planned_fpp(size);
}

Result<unsigned> part_threads(const BuildOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t memory, build_memory(options));
  return shard_threads(0, memory);
}

bool builds_part(const BuildOptions& options) {
  return !options.files.empty() && !spread_file_kind(FileSystem::real(), options.files.front()).empty();
}

Result<int> build_part(const BuildOptions& options, const OutputFile& output) {
  BLOOMERY_ASSIGN_OR_RETURN(const RangeFiles files, open_range_files(options));
  BLOOMERY_RETURN_IF_ERROR(check_no_hashing(options, files));
  BLOOMERY_ASSIGN_OR_RETURN(const RibbonPartPlan plan, plan_part(options, files));
  const std::atomic<bool>& stop = catch_stop_signals();
  const auto write = [&] {
    Progress progress("build");
    return write_ribbon_part(FileSystem::real(), files, plan, options.output, output.save_to(stop),
                             [&progress](std::uint32_t done, std::uint32_t total) {
                               progress.update_steps("shards", done, total);
                             });
  };
  const Result<RibbonPartWritten> written = write();
  if (!written && stop) {
    warn("build", "stopped; nothing was written");
    return static_cast<int>(kInterrupted);
  }
  if (!written) {
    return written.error();
  }
  if (options.summary.wanted()) {
    const BuildCapacity capacity{.keys = written->capacity};
    warn("build",
         fmt::format("{} of {} range files into part {} of {}: {} of {} shards, {}, fpp {}, planned for {} "
                     "keys{}",
                     show_count_of(written->keys, "key"), show_count(files.size()), plan.part, plan.parts,
                     show_count(written->shards), show_count(written->all_shards), show_bytes(written->bytes),
                     show_probability(plan.fpp), show_count(written->capacity),
                     assumed(options.wish, capacity)));
  }
  return static_cast<int>(kDone);
}

}  // namespace bloomery::cli
