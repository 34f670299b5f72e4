#include "cli/build_partition.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <fmt/core.h>
#include <system_error>

#include "base/directory.h"
#include "cli/exit_status.h"
#include "cli/key_input.h"
#include "cli/new_hash.h"
#include "cli/numbers.h"
#include "cli/static_plan.h"
#include "cli/stop_signal.h"
#include "filter/spool/range_files.h"

namespace bloomery::cli {
namespace {

// Memory for sorting, reading and writing, in addition to the spool's buffer.
constexpr std::uint64_t kWorkingMemory = std::uint64_t{32} << 20;

// Refuses the options that plan a filter, because only the next step plans it.
Status check_no_plan(const BuildPlan& plan) {
  if (!plan.filter.assumes_fpp()) {
    return Error::invalid_argument(
        "--partition", "expected no -p or --bits-per-key yet: the step with --shards plans the filter");
  }
  if (plan.part) {
    return Error::invalid_argument("--partition", "expected no --shards, which is the next step");
  }
  if (plan.has_exceptions() || plan.strict) {
    return Error::invalid_argument("--partition", "expected no --exceptions and no --strict");
  }
  if (!plan.work_directory.empty()) {
    return Error::invalid_argument("--partition",
                                   "expected no --resume: a run that was cut is started again as a whole");
  }
  if (plan.output == "-") {
    return Error::invalid_argument("-o", "expected a folder for the range files, found standard output");
  }
  if (plan.keyed && plan.keys.key_file().empty()) {
    return Error::invalid_argument(
        "--keyed", "expected --key-file with --partition: all machines must have one key, made once");
  }
  return {};
}

// Makes the folder. Refuses a folder that already has range files, since these could be mistaken for files of
// this run.
Status prepare_folder(const BuildPlan& plan) {
  std::error_code failed;
  std::filesystem::create_directory(plan.output, failed);
  if (failed) {
    return Error::io(plan.output, "make the folder", failed.value());
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, list_directory(plan.output));
  for (const DirectoryEntry& entry : entries) {
    if (entry.name.starts_with("range-") && entry.name.ends_with(".hashes") && !plan.force) {
      return Error::invalid_argument(plan.output,
                                     "has range files already, " + entry.name + "; --force replaces them");
    }
  }
  return {};
}

// Prints the disk space that -n keys need. Returns an error if a disk does not have it.
Status state_partition_needs(const BuildPlan& plan, const HashSpoolOptions& spool) {
  if (!plan.filter.capacity) {
    return {};
  }
  const std::uint64_t keys = *plan.filter.capacity;
  const auto [spooled, files] = partition_needs(keys, spool);
  std::error_code unknown;
  const bool exists = std::filesystem::exists(plan.output, unknown);
  const std::string disk = exists ? plan.output : output_directory(plan);
  const bool shared = on_one_disk(disk, spool.directory);
  BLOOMERY_RETURN_IF_ERROR(check_room(spool.directory, spooled + (shared ? files : 0)));
  BLOOMERY_RETURN_IF_ERROR(check_room(disk, files));
  if (plan.summary.wanted()) {
    warn("build", fmt::format("{} keys need at most {} for a spool in {}, and {} for the range files",
                              show_count(keys), show_bytes(spooled), spool.directory, show_bytes(files)));
  }
  return {};
}

}  // namespace

HashSpoolOptions partition_spool(const BuildPlan& plan, const std::string& directory) {
  const std::uint64_t pool = plan.memory_bytes - kWorkingMemory;
  return {.directory = directory, .buffer_bytes = pool - pool / kPoolShareForSorting};
}

PartitionNeeds partition_needs(std::uint64_t keys, const HashSpoolOptions& spool) {
  // The gaps of n sorted hashes have 64 - log2(n) bits, and Rice coding costs 1.6 more.
  const double bits = 64 - std::log2(static_cast<double>(std::max<std::uint64_t>(keys, 1))) + 1.6;
  return {.spool_bytes = predicted_spool_bytes(keys, 64, spool.buffer_bytes / 8),
          .file_bytes = static_cast<std::uint64_t>(static_cast<double>(keys) * bits / 8)};
}

Status fill_range_files(const BuildPlan& plan, KeyHasher& hasher, RangeFilesWriter& writer,
                        const std::atomic<bool>& stop) {
  InputFiles input(plan.files, plan.keys.input_shape(), &stop);
  return for_each_key_batch("build", input, hasher, [&](const KeyBatch& batch) -> Result<bool> {
    BLOOMERY_RETURN_IF_ERROR(writer.add(batch.hashes));
    return true;
  });
}

Result<int> build_partition(const BuildPlan& plan) {
  BLOOMERY_RETURN_IF_ERROR(check_no_plan(plan));
  BLOOMERY_ASSIGN_OR_RETURN(const NewHash hash, new_hash(plan));
  const HashSpoolOptions spool = partition_spool(plan, plan.spool_directory);
  BLOOMERY_RETURN_IF_ERROR(state_partition_needs(plan, spool));
  BLOOMERY_RETURN_IF_ERROR(prepare_folder(plan));
  const KeyTreatment keys = plan.keys.treatment_for_new();
  BLOOMERY_ASSIGN_OR_RETURN(
      RangeFilesWriter writer,
      RangeFilesWriter::create(FileSystem::real(),
                               {.directory = plan.output,
                                .ranges = *plan.ranges,
                                .hash = hash.spec,
                                .keys = keys,
                                .note = plan.note,
                                .if_exists = plan.force ? IfExists::kReplace : IfExists::kRefuse,
                                .spool = spool}));
  const std::atomic<bool>& stop = catch_stop_signals();
  KeyHasher hasher(hash.spec, keys, plan.keys.place());
  BLOOMERY_RETURN_IF_ERROR(fill_range_files(plan, hasher, writer, stop));
  if (!stop) {
    BLOOMERY_RETURN_IF_ERROR(plan.rules.check(hasher.tally(), plan.keys));
    BLOOMERY_RETURN_IF_ERROR(hash.save_key());
  }
  writer.set_digest_bytes(plan.recorded_digest_bytes(hasher));
  const Result<RangeFilesWriter::Written> written = writer.finish(&stop);
  if (stop) {
    warn("build", "stopped; no range files were finished");
    return static_cast<int>(kInterrupted);
  }
  if (!written) {
    return written.error();
  }
  if (plan.summary.wanted_or_amiss(InputRules::amiss(hasher.tally(), plan.keys))) {
    warn("build", fmt::format("{} ({} given) into {} range files in {}, {}; {} spooled",
                              show_count_of(written->keys, "key"), show_count(writer.added()), *plan.ranges,
                              plan.output, show_bytes(written->bytes), show_bytes(written->spooled_bytes)));
  }
  tell_of_keys("build", hasher.tally(), plan.keys.place(), telling(plan.summary.declined()));
  return static_cast<int>(kDone);
}

}  // namespace bloomery::cli
