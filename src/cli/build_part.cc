// `build --shards I/N` of range files, the second step of a distributed build. It reads the range files of
// one hash range, one file from every machine, and makes a part of the static filter
// (filter/any/static_part.h).
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "cli/builders.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/static_plan.h"
#include "cli/stop_signal.h"
#include "filter/any/static_part.h"

namespace bloomery::cli {
namespace {

using RangeFiles = std::vector<std::unique_ptr<RangeFile>>;

// Refuses options that change the hashes, because --partition has already computed them.
Status check_no_hashing(const BuildPlan& plan, const RangeFiles& files) {
  if (plan.keyed || !plan.keys.key_file().empty() || plan.seed != 0) {
    return Error::invalid_argument(
        "--shards", "expected no --seed, --keyed or --key-file with range files, which record it");
  }
  const KeyTreatment given = plan.keys.treatment_for_new();
  const KeyTreatment& recorded = files.front()->front().native.keys;
  if (given != KeyTreatment{} && given != of_any_width(recorded)) {
    return Error::invalid_argument(
        files.front()->path(),
        "expected keys as the options say, found keys of the form " + describe(recorded));
  }
  if (plan.has_exceptions() || plan.strict || plan.output == "-") {
    return Error::invalid_argument("--shards",
                                   "expected no --exceptions, no --strict and a file with range files");
  }
  return {};
}

Result<RangeFiles> open_range_files(const BuildPlan& plan) {
  RangeFiles files;
  for (const std::string& name : plan.files) {
    BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<RangeFile> file, RangeFile::open(FileSystem::real(), name));
    files.push_back(std::move(file));
  }
  return files;
}

Result<StaticPartPlan> plan_part(const BuildPlan& plan, const RangeFiles& files) {
  if (!plan.part) {
    const SpreadEnvelope& found = files.front()->front().envelope;
    return Error::invalid_argument(
        files.front()->path(),
        fmt::format("is a range file: expected --shards {}/{}, to build its part", found.index, found.count));
  }
  StaticPartPlan part{.part = plan.part->part,
                      .parts = plan.part->parts,
                      .type = plan.filter.type.type,
                      .setting = plan.filter.type.options.setting,
                      .note = plan.note,
                      .threads = static_threads(plan.filter.type.type, 0, plan.memory_bytes)};
  BLOOMERY_RETURN_IF_ERROR(check_range_files(files, part));
  if (plan.filter.capacity) {
    part.capacity = std::max<std::uint64_t>(*plan.filter.capacity, 1);
  }
  BLOOMERY_ASSIGN_OR_RETURN(part.fpp, planned_fpp(plan.filter.sized(planned_capacity(files, part))));
  return part;
}

}  // namespace

bool builds_part(const BuildPlan& plan) {
  return !plan.files.empty() && !spread_file_kind(FileSystem::real(), plan.files.front()).empty();
}

Result<int> build_part(const BuildPlan& plan, const OutputFile& output) {
  if (!is_static_type(plan.filter.type.type)) {
    return Error::invalid_argument(
        plan.files.front(),
        "is a range file: expected -t ribbon or fuse, found -t " + plan.filter.type.type_name());
  }
  BLOOMERY_ASSIGN_OR_RETURN(const RangeFiles files, open_range_files(plan));
  BLOOMERY_RETURN_IF_ERROR(check_no_hashing(plan, files));
  BLOOMERY_ASSIGN_OR_RETURN(const StaticPartPlan part, plan_part(plan, files));
  const std::atomic<bool>& stop = catch_stop_signals();
  const auto write = [&] {
    Progress progress("build");
    return write_static_part(FileSystem::real(), files, part, plan.output, output.save_to(stop),
                             [&progress](std::uint32_t done, std::uint32_t total) {
                               progress.update_steps("shards", done, total);
                             });
  };
  const Result<StaticPartWritten> written = write();
  if (!written && stop) {
    warn("build", "stopped; nothing was written");
    return static_cast<int>(kInterrupted);
  }
  if (!written) {
    return written.error();
  }
  if (plan.summary.wanted()) {
    const BuildCapacity capacity{.keys = written->capacity};
    warn("build",
         fmt::format("{} of {} range files into part {} of {}: {} of {} shards, {}, fpp {}, planned for {} "
                     "keys{}",
                     show_count_of(written->keys, "key"), show_count(files.size()), part.part, part.parts,
                     show_count(written->shards), show_count(written->all_shards), show_bytes(written->bytes),
                     show_probability(part.fpp), show_count(written->capacity),
                     assumed(plan.filter, capacity)));
  }
  return static_cast<int>(kDone);
}

}  // namespace bloomery::cli
