#include "cli/build_partition.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <fmt/core.h>
#include <system_error>

#include "base/directory.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/ribbon_plan.h"
#include "cli/stop_signal.h"
#include "filter/spool/range_files.h"

namespace bloomery::cli {
namespace {

// Memory for sorting, reading and writing, in addition to the spool's buffer.
constexpr std::uint64_t kWorkingMemory = std::uint64_t{32} << 20;

// Refuses the options that plan a filter, because only the next step plans it.
Status check_no_plan(const BuildOptions& options) {
  if (!options.wish.assumes_fpp()) {
    return Error::invalid_argument(
        "--partition", "expected no -p or --bits-per-key yet: the step with --shards plans the filter");
  }
  if (!options.part.empty()) {
    return Error::invalid_argument("--partition", "expected no --shards, which is the next step");
  }
  if (options.has_exceptions() || options.strict) {
    return Error::invalid_argument("--partition", "expected no --exceptions and no --strict");
  }
  if (!options.work_directory.empty()) {
    return Error::invalid_argument("--partition",
                                   "expected no --resume: a run that was cut is started again as a whole");
  }
  if (options.output == "-") {
    return Error::invalid_argument("-o", "expected a folder for the range files, found standard output");
  }
  if (options.keyed && options.keys.key_file().empty()) {
    return Error::invalid_argument(
        "--keyed", "expected --key-file with --partition: all machines must have one key, made once");
  }
  return {};
}

Result<std::uint32_t> parse_ranges(const BuildOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t ranges, parse_count("--partition", options.ranges));
  if (ranges == 0 || ranges > kMaxRanges) {
    return Error::invalid_argument(
        "--partition", "expected 1 to " + std::to_string(kMaxRanges) + " files, found " + options.ranges);
  }
  return static_cast<std::uint32_t>(ranges);
}

// Makes the folder. Refuses a folder that already has range files, since these could be mistaken for files of
// this run.
Status prepare_folder(const BuildOptions& options) {
  std::error_code failed;
  std::filesystem::create_directory(options.output, failed);
  if (failed) {
    return Error::io(options.output, "make the folder", failed.value());
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, list_directory(options.output));
  for (const DirectoryEntry& entry : entries) {
    if (entry.name.starts_with("range-") && entry.name.ends_with(".hashes") && !options.force) {
      return Error::invalid_argument(options.output,
                                     "has range files already, " + entry.name + "; --force replaces them");
    }
  }
  return {};
}

// Prints the disk space that -n keys need. Returns an error if a disk does not have it.
Status state_partition_needs(const BuildOptions& options, const HashSpoolOptions& spool) {
  if (options.count.empty()) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t keys, parse_count("-n", options.count));
  const auto [spooled, files] = partition_needs(keys, spool);
  std::error_code unknown;
  const bool exists = std::filesystem::exists(options.output, unknown);
  const std::string disk = exists ? options.output : output_directory(options);
  const bool shared = on_one_disk(disk, spool.directory);
  BLOOMERY_RETURN_IF_ERROR(check_room(spool.directory, spooled + (shared ? files : 0)));
  BLOOMERY_RETURN_IF_ERROR(check_room(disk, files));
  if (options.summary.wanted()) {
    warn("build", fmt::format("{} keys need at most {} for a spool in {}, and {} for the range files",
                              show_count(keys), show_bytes(spooled), spool.directory, show_bytes(files)));
  }
  return {};
}

Result<RangeFilesOptions> plan_partition(const BuildOptions& options, const HashSpec& hash) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint32_t ranges, parse_ranges(options));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string directory, spool_directory(options));
  BLOOMERY_ASSIGN_OR_RETURN(const HashSpoolOptions spool, partition_spool(options, directory));
  return RangeFilesOptions{.directory = options.output,
                           .ranges = ranges,
                           .hash = hash,
                           .keys = options.keys.treatment_for_new(),
                           .note = options.note,
                           .if_exists = options.force ? IfExists::kReplace : IfExists::kRefuse,
                           .spool = spool};
}

}  // namespace

Result<HashSpoolOptions> partition_spool(const BuildOptions& options, const std::string& directory) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t memory, build_memory(options));
  const std::uint64_t pool = memory - kWorkingMemory;
  return HashSpoolOptions{.directory = directory, .buffer_bytes = pool - pool / kPoolShareForSorting};
}

PartitionNeeds partition_needs(std::uint64_t keys, const HashSpoolOptions& spool) {
  // The gaps of n sorted hashes have 64 - log2(n) bits, and Rice coding costs 1.6 more.
  const double bits = 64 - std::log2(static_cast<double>(std::max<std::uint64_t>(keys, 1))) + 1.6;
  return {.spool_bytes = predicted_spool_bytes(keys, 64, spool.buffer_bytes / 8),
          .file_bytes = static_cast<std::uint64_t>(static_cast<double>(keys) * bits / 8)};
}

Status fill_range_files(const BuildOptions& options, KeyHasher& hasher, RangeFilesWriter& writer,
                        const std::atomic<bool>& stop) {
  InputFiles input(options.files, options.keys.input_shape(), &stop);
  return for_each_key_batch("build", input, hasher, [&](const KeyBatch& batch) -> Result<bool> {
    BLOOMERY_RETURN_IF_ERROR(writer.add(batch.hashes));
    return true;
  });
}

Result<int> build_partition(const BuildOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_no_plan(options));
  BLOOMERY_ASSIGN_OR_RETURN(const NewHash hash, new_hash(options));
  BLOOMERY_ASSIGN_OR_RETURN(const RangeFilesOptions plan, plan_partition(options, hash.spec));
  BLOOMERY_RETURN_IF_ERROR(state_partition_needs(options, plan.spool));
  BLOOMERY_RETURN_IF_ERROR(prepare_folder(options));
  BLOOMERY_ASSIGN_OR_RETURN(RangeFilesWriter writer, RangeFilesWriter::create(FileSystem::real(), plan));
  const std::atomic<bool>& stop = catch_stop_signals();
  KeyHasher hasher(plan.hash, plan.keys, options.keys.place());
  BLOOMERY_RETURN_IF_ERROR(fill_range_files(options, hasher, writer, stop));
  if (!stop) {
    BLOOMERY_RETURN_IF_ERROR(options.rules.check(hasher.tally(), options.keys));
    BLOOMERY_RETURN_IF_ERROR(hash.save_key());
  }
  writer.set_digest_bytes(recorded_digest_bytes(options, hasher));
  const Result<RangeFilesWriter::Written> written = writer.finish(&stop);
  if (stop) {
    warn("build", "stopped; no range files were finished");
    return static_cast<int>(kInterrupted);
  }
  if (!written) {
    return written.error();
  }
  if (options.summary.wanted_or_amiss(InputRules::amiss(hasher.tally(), options.keys))) {
    warn("build",
         fmt::format("{} ({} given) into {} range files in {}, {}; {} spooled",
                     show_count_of(written->keys, "key"), show_count(writer.added()), plan.ranges,
                     options.output, show_bytes(written->bytes), show_bytes(written->spooled_bytes)));
  }
  tell_of_keys("build", hasher.tally(), options.keys.place(), telling(options.summary.declined()));
  return static_cast<int>(kDone);
}

}  // namespace bloomery::cli
