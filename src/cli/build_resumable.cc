// `build --resume DIR` of a static filter: a build whose progress survives kill -9 and a crash of the
// machine.
//
//   DIR/record                  identifies the build (resume_record.h); locked while a process works
//    DIR/range-I-of-N.hashes     the spool, in 4 to 64 ranges (filter/spool/range_files.h)
//   DIR/spooled                 written when all range files are complete
//   DIR/part.I                  a finished part (filter/any/static_part.h), which replaces its range file
//
// The same command resumes a killed build:
//
//   killed                      continues
//   while it spooled            from the start: it spools again and prints that
//    while it built              after the last finished part; the input is not read again
//   while it wrote the filter   by joining the parts
//
// Once the filter has its name, the folder and its contents are removed. Files of other names are never
// touched: a folder that has such files, and no record, is refused.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/atomic_file.h"
#include "base/directory.h"
#include "bloomery/filter/fuse_sizing.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "cli/build_partition.h"
#include "cli/builders.h"
#include "cli/exit_status.h"
#include "cli/key_input.h"
#include "cli/new_hash.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/resume_record.h"
#include "cli/static_plan.h"
#include "cli/stop_signal.h"
#include "filter/any/static_part.h"
#include "hash/ascii_text.h"

namespace bloomery::cli {
namespace {

// Building a part takes some seconds, and syncing its file costs time. So few keys have few parts. A part has
// several shards, because those at its edges are built when the parts are joined, in one thread.
constexpr std::uint64_t kKeysOfPart = 1'000'000;
constexpr std::uint64_t kKeysOfFusePart = 8 * kFuseShardKeys;
constexpr std::uint64_t kFewestParts = 4;
constexpr std::uint64_t kMostParts = 64;
constexpr std::uint64_t kMostRecordBytes = std::uint64_t{16} << 20;

Status check_resume_options(const BuildPlan& plan) {
  if (plan.has_exceptions() || plan.strict || plan.part || plan.ranges) {
    return Error::invalid_argument("--resume",
                                   "expected no --exceptions, --strict, --shards or --partition with it");
  }
  if (plan.output == "-") {
    return Error::invalid_argument("--resume", "expected a file to write, found standard output");
  }
  if (plan.keyed) {
    return Error::invalid_argument(
        "--keyed", "expected --key-file with a key that exists: a build that goes on must find the same");
  }
  return {};
}

// Returns the number of ranges, which is also the number of parts. It depends only on the command line, so
// that a resumed build computes the same number.
std::uint32_t resumable_part_count(const BuildPlan& plan) {
  const std::uint64_t keys = plan.filter.type.type == FilterType::kFuse ? kKeysOfFusePart : kKeysOfPart;
  const std::uint64_t parts =
      plan.filter.capacity ? std::clamp(*plan.filter.capacity / keys, kFewestParts, kMostParts) : kMostParts;
  return static_cast<std::uint32_t>(parts);
}

// The working folder of a build that can be resumed.
class WorkFolder {
 public:
  // Claims the folder for this build: creates it, or finds this build's progress in it. Errors:
  // kInvalidArgument if the folder belongs to another build or has other files; kIo with EWOULDBLOCK while
  // another process works in it.
  static Result<WorkFolder> take(const std::string& path, const std::string& record) {
    std::error_code failed;
    std::filesystem::create_directory(path, failed);
    if (failed) {
      return Error::io(path, "make the folder", failed.value());
    }
    WorkFolder folder(path);
    FileSystem& files = FileSystem::real();
    const std::string name = folder.file("record");
    const auto is_leftover = [](const std::string& left) { return left.find(".tmp.") != std::string::npos; };
    if (!files.facts(name)) {
      folder.remove_if(is_leftover);
      if (!folder.names().empty()) {
        return Error::invalid_argument(path,
                                       "expected a new or empty folder, or one that --resume made, found "
                                       "other files in it");
      }
      const std::vector<std::span<const std::byte>> parts = {std::as_bytes(std::span(record))};
      BLOOMERY_ASSIGN_OR_RETURN(folder.lock_, save_atomically_locked(files, name, parts, {}));
      return folder;
    }
    BLOOMERY_ASSIGN_OR_RETURN(folder.lock_, open_locked(files, name, OpenFor::kReading));
    BLOOMERY_ASSIGN_OR_RETURN(const std::string found, folder.read("record"));
    if (found != record) {
      return Error::invalid_argument(path,
                                     "has the work of another build: " + record_difference(record, found) +
                                         ". Give that command again, or remove the folder");
    }
    folder.remove_if(is_leftover);
    folder.was_there_ = true;
    return folder;
  }

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string part(std::uint32_t index) const { return file("part." + std::to_string(index)); }
  bool has(const std::string& path) const { return static_cast<bool>(FileSystem::real().facts(path)); }

  Result<std::string> read(const std::string& name) const {
    FileSystem& files = FileSystem::real();
    BLOOMERY_ASSIGN_OR_RETURN(File opened, files.open(file(name), OpenFor::kReading));
    BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(opened));
    std::string text(std::min(facts.size_bytes, kMostRecordBytes), '\0');
    BLOOMERY_RETURN_IF_ERROR(opened.read_exactly_at(0, std::as_writable_bytes(std::span(text))));
    return text;
  }

  // Returns true if an earlier run of this build worked in the folder.
  bool was_there() const { return was_there_; }

  // Removes all work but the record. The mark of a complete spool is removed first.
  void start_afresh() const {
    (void)FileSystem::real().remove(file("spooled"));
    remove_if([](const std::string& name) { return name != "record"; });
  }

  // Removes the folder and the files of this build.
  void remove() const {
    start_afresh();
    (void)FileSystem::real().remove(file("record"));
    std::error_code stays;  // set if the folder has other files, so that it remains
    std::filesystem::remove(path_, stays);
  }

 private:
  explicit WorkFolder(std::string path) : path_(std::move(path)) {}

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    const auto entries = list_directory(path_);
    for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>()) {
      found.push_back(entry.name);
    }
    return found;
  }

  // Removes those of our files that `chosen` selects. Other files are never touched.
  template <typename Choose>
  void remove_if(const Choose& choose) const {
    static const std::regex ours(R"((record|spooled|part\.\d+|range-\d+-of-\d+\.hashes)(\.tmp\..*)?)");
    for (const std::string& name : names()) {
      if (std::regex_match(name, ours) && choose(name)) {
        (void)FileSystem::real().remove(file(name));
      }
    }
  }

  std::string path_;
  File lock_;               // the record, locked
  bool was_there_ = false;  // an earlier run has worked in the folder
};

// The steps of the build.   Calls: spool build_parts join
class ResumableBuild {
 public:
  ResumableBuild(const BuildPlan& plan, const NewHash& hash, WorkFolder& folder,
                 const std::atomic<bool>& stop)
      : plan_(plan), hash_(hash), folder_(folder), parts_(resumable_part_count(plan)), stop_(stop) {}

  // Writes the range files, unless an earlier run has completed them.
  Status spool() {
    if (folder_.has(folder_.file("spooled"))) {
      BLOOMERY_ASSIGN_OR_RETURN(const std::string text, folder_.read("spooled"));
      const auto keys = number_from_text<std::uint64_t>(text);
      if (!keys) {
        return Error::corruption(folder_.file("spooled"), 0,
                                 "expected a number of keys, found '" + text + "'");
      }
      keys_ = *keys;
      warn("build", fmt::format("goes on with the {} keys spooled in {}; the input is not read again",
                                show_count(keys_), plan_.work_directory));
      return {};
    }
    if (folder_.was_there()) {
      warn("build", "was ended before its spool in " + plan_.work_directory +
                        " was complete: spools again from the start");
    }
    folder_.start_afresh();
    const HashSpoolOptions spool =
        partition_spool(plan_, plan_.names_spool_directory ? plan_.spool_directory : plan_.work_directory);
    BLOOMERY_RETURN_IF_ERROR(state_needs(spool));
    const KeyTreatment keys = plan_.keys.treatment_for_new();
    BLOOMERY_ASSIGN_OR_RETURN(RangeFilesWriter writer,
                              RangeFilesWriter::create(FileSystem::real(), {.directory = plan_.work_directory,
                                                                            .ranges = parts_,
                                                                            .hash = hash_.spec,
                                                                            .keys = keys,
                                                                            .spool = spool}));
    KeyHasher hasher(hash_.spec, keys, plan_.keys.place());
    BLOOMERY_RETURN_IF_ERROR(fill_range_files(plan_, hasher, writer, stop_));
    if (!stop_) {
      BLOOMERY_RETURN_IF_ERROR(plan_.rules.check(hasher.tally(), plan_.keys));
    }
    writer.set_digest_bytes(plan_.recorded_digest_bytes(hasher));
    BLOOMERY_ASSIGN_OR_RETURN(const RangeFilesWriter::Written written, writer.finish(&stop_));
    amiss_ = InputRules::amiss(hasher.tally(), plan_.keys);
    keys_ = written.keys;
    const std::string text = std::to_string(keys_);
    const std::vector<std::span<const std::byte>> parts = {std::as_bytes(std::span(text))};
    BLOOMERY_RETURN_IF_ERROR(save_atomically(FileSystem::real(), folder_.file("spooled"), parts, {}));
    tell_of_keys("build", hasher.tally(), plan_.keys.place(), telling(plan_.summary.declined()));
    return {};
  }

  // Builds the missing parts.
  Status build_parts() {
    const std::uint64_t capacity = planned_keys();
    BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan_.filter.sized(capacity)));
    Progress progress("build");
    for (std::uint32_t index = 1; index <= parts_; ++index) {
      if (!folder_.has(folder_.part(index))) {
        std::vector<std::unique_ptr<RangeFile>> files(1);
        BLOOMERY_ASSIGN_OR_RETURN(files[0], RangeFile::open(FileSystem::real(), range_file(index)));
        const auto written = write_static_part(FileSystem::real(), files,
                                               {.part = index,
                                                .parts = parts_,
                                                .fpp = fpp,
                                                .type = type(),
                                                .setting = setting(),
                                                .capacity = capacity,
                                                .note = plan_.note,
                                                .threads = static_threads(type(), 0, plan_.memory_bytes)},
                                               folder_.part(index), {.cancelled = &stop_}, {});
        BLOOMERY_RETURN_IF_ERROR(written ? Status() : Status(written.error()));
      }
      // The part is durable now. A kill between the two steps leaves its range file, which does no harm.
      (void)FileSystem::real().remove(range_file(index));
      progress.update_steps("parts", index, parts_);
    }
    return {};
  }

  Status join(const OutputFile& output) {
    std::vector<std::string> parts;
    for (std::uint32_t index = 1; index <= parts_; ++index) {
      parts.push_back(folder_.part(index));
    }
    return join_static_parts(FileSystem::real(), parts, plan_.output, output.save_to(stop_));
  }

  // Returns InputRules::amiss() of the input; 0 if an earlier run read it.
  std::uint64_t amiss() const { return amiss_; }

  void summarize() const {
    std::error_code unknown;
    const std::uint64_t bytes = std::filesystem::file_size(plan_.output, unknown);
    warn("build",
         fmt::format("{} into {} ({}), {:.2f} bits per key{}", show_count_of(keys_, "key"), show_bytes(bytes),
                     plan_.filter.type.type_name(),
                     static_cast<double>(bytes) * 8 / static_cast<double>(std::max<std::uint64_t>(keys_, 1)),
                     assumed(plan_.filter, {})));
  }

 private:
  FilterType type() const { return plan_.filter.type.type; }
  BlockedSetting setting() const { return plan_.filter.type.options.setting; }
  std::string range_file(std::uint32_t index) const { return folder_.file(range_file_name(index, parts_)); }

  // Returns -n, or else the number of spooled keys; at least 1.
  std::uint64_t planned_keys() const {
    return std::max<std::uint64_t>(plan_.filter.capacity.value_or(keys_), 1);
  }

  // Prints the disk space that the build needs. Returns an error if a disk does not have it.
  Status state_needs(const HashSpoolOptions& spool) const {
    if (!plan_.filter.capacity) {
      return {};
    }
    const std::uint64_t keys = planned_keys();
    BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan_.filter.sized(keys)));
    const PartitionNeeds needs = partition_needs(keys, spool);
    const std::uint64_t filter = type() == FilterType::kFuse ? predicted_fuse_bytes(keys, fpp, setting())
                                                             : predicted_ribbon_bytes(keys, fpp);
    // Each range file is removed after its part was made, so one range file and its part exist at the same
    // time.
    const std::uint64_t work = std::max(needs.spool_bytes, std::max(needs.file_bytes, filter)) +
                               std::max(needs.file_bytes, filter) / parts_;
    const std::string parent = std::filesystem::path(plan_.output).parent_path().string();
    const std::string target = parent.empty() ? "." : parent;
    const bool shared = on_one_disk(plan_.work_directory, target);
    // While the filter is written, all parts still exist, but no range files.
    BLOOMERY_RETURN_IF_ERROR(check_room(plan_.work_directory, std::max(work, shared ? 2 * filter : filter)));
    BLOOMERY_RETURN_IF_ERROR(check_room(target, filter));
    if (plan_.summary.wanted()) {
      warn("build",
           fmt::format("{} keys, repeats included, need at most {} in {}, and {} for the filter",
                       show_count(keys), show_bytes(work), plan_.work_directory, show_bytes(filter)));
    }
    return {};
  }

  const BuildPlan& plan_;
  const NewHash& hash_;
  WorkFolder& folder_;
  std::uint32_t parts_;
  const std::atomic<bool>& stop_;
  std::uint64_t keys_ = 0;
  std::uint64_t amiss_ = 0;
};

}  // namespace

Result<int> build_resumable(const BuildPlan& plan, const OutputFile& output) {
  BLOOMERY_RETURN_IF_ERROR(check_resume_options(plan));
  BLOOMERY_ASSIGN_OR_RETURN(const NewHash hash, new_hash(plan));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string record, resume_record(plan, hash.spec));
  BLOOMERY_ASSIGN_OR_RETURN(WorkFolder folder, WorkFolder::take(plan.work_directory, record));
  const std::atomic<bool>& stop = catch_stop_signals();
  ResumableBuild build(plan, hash, folder, stop);
  Status status = build.spool();
  if (status) {
    status = build.build_parts();
  }
  if (status) {
    status = build.join(output);
  }
  if (stop && !status) {
    warn("build", "stopped; the same command goes on with what is in " + plan.work_directory);
    return static_cast<int>(kInterrupted);
  }
  if (!status) {
    return status.error();
  }
  folder.remove();
  if (plan.summary.wanted_or_amiss(build.amiss())) {
    build.summarize();
  }
  return static_cast<int>(kDone);
}

}  // namespace bloomery::cli
