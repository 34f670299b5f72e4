#include "cli/build_ribbon.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bloomery/filter/ribbon_builder.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/stop_signal.h"

namespace bloomery::cli {
namespace {

// I/N, from 1.
Status parse_part(std::string_view text, RibbonBuildOptions& build) {
  const auto number = [](std::string_view digits, std::uint32_t& value) {
    const auto [stopped, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return code == std::errc() && stopped == digits.data() + digits.size();
  };
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || !number(text.substr(0, slash), build.part) ||
      !number(text.substr(slash + 1), build.parts) || build.part == 0 || build.part > build.parts) {
    return Error::invalid_argument(
        "--shards", "expected I/N with I from 1 to N, such as 2/8, found '" + std::string(text) + "'");
  }
  if (build.capacity == 0) {
    return Error::invalid_argument("-n",
                                   "expected the number of keys of the whole, since --shards builds a part");
  }
  return {};
}

Result<std::string> spool_directory(const BuildOptions& options) {
  const char* const standard =
      std::getenv("TMPDIR");              // NOLINT(concurrency-mt-unsafe): read once, never set by us
  if (options.spool_directory.empty()) {  // may never be needed
    return std::string(standard != nullptr && *standard != '\0' ? standard : "/tmp");
  }
  const std::string& directory = options.spool_directory;
  std::error_code unknown;
  if (!std::filesystem::is_directory(directory, unknown) || ::access(directory.c_str(), W_OK | X_OK) != 0) {
    return Error::invalid_argument("--tmp",
                                   "expected a directory that can be written, found '" + directory + "'");
  }
  return directory;
}

Result<RibbonBuildOptions> plan(const BuildOptions& options, const HashSpec& hash) {
  RibbonBuildOptions build{.filter = {.hash = hash, .keys = options.keys.treatment_for_new()},
                           .metadata = options.note};
  if (!options.count.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(build.capacity, parse_count("-n", options.count));
    build.capacity = std::max<std::uint64_t>(build.capacity, 1);  // 0 is for those who do not know
  }
  if (!options.memory.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(build.memory_bytes, parse_size("--mem", options.memory));
    if (build.memory_bytes < kMinRibbonMemory) {
      return Error::invalid_argument("--mem", "expected at least 64M, found " + options.memory);
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(build.spool_directory, spool_directory(options));
  if (!options.part.empty()) {
    BLOOMERY_RETURN_IF_ERROR(parse_part(options.part, build));
  }
  return build;
}

std::string show_size(std::uint64_t bytes) {
  return show_bytes(static_cast<double>(bytes));
}

// The directory that the filter is written to; empty for standard output.
std::string output_directory(const BuildOptions& options) {
  const std::string parent = std::filesystem::path(options.output).parent_path().string();
  return options.output == "-" ? "" : parent.empty() ? "." : parent;
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
  return Error::capacity(directory, "expected room for " + show_size(bytes) + ", found " +
                                        show_size(room.available) +
                                        ": name another directory, or give more memory (--mem)");
}

// Says what the work will take, and refuses what the disks have no room for.
Status state_needs(const BuildOptions& options, double fpp, const RibbonBuildOptions& build) {
  constexpr std::uint64_t kSampleKeys = 1'000'000'000'000;  // far beyond any memory
  const bool counted = !options.count.empty();
  const RibbonBuildNeeds needs = ribbon_build_needs(counted ? build.capacity : kSampleKeys, fpp, build);
  const std::string target = output_directory(options);
  if (counted) {
    const bool shared = !target.empty() && on_one_disk(target, build.spool_directory);
    BLOOMERY_RETURN_IF_ERROR(
        check_room(build.spool_directory, needs.spool_bytes + (shared ? needs.filter_bytes : 0)));
    if (!target.empty()) {
      BLOOMERY_RETURN_IF_ERROR(check_room(target, needs.filter_bytes));
    }
  }
  if (options.no_summary) {
    return {};
  }
  // A filter for standard output is made in memory, twice while it is copied.
  const std::uint64_t in_memory = target.empty() && counted ? 2 * needs.filter_bytes : 0;
  const std::string memory = "at most " + show_size(needs.memory_bytes + in_memory) + " of memory";
  if (counted) {
    const std::string spool = needs.spool_bytes == 0 ? "no spool"
                                                     : "at most " + show_size(needs.spool_bytes) +
                                                           " for a spool in " + build.spool_directory;
    warn("build", fmt::format("{} keys, repeats included, need {}, {}, and {} for the filter",
                              show_count(build.capacity), memory, spool, show_size(needs.filter_bytes)));
  } else {
    warn("build", fmt::format("needs {}; what that does not hold goes to a spool in {}, {:.2g} bytes a key",
                              memory, build.spool_directory,
                              static_cast<double>(needs.spool_bytes) / static_cast<double>(kSampleKeys)));
  }
  return {};
}

struct Outcome {
  std::uint64_t keys;
  std::uint64_t bytes;
};

Result<Outcome> write_filter(const BuildOptions& options, RibbonBuilder& builder,
                             const std::atomic<bool>& stop) {
  Progress progress("build");
  const auto show = [&](std::uint32_t done, std::uint32_t total) {
    progress.update_steps("shards", done, total);
  };
  if (options.output != "-") {
    BLOOMERY_ASSIGN_OR_RETURN(
        const auto written,
        builder.finish(options.output, {.replace = options.force, .cancelled = &stop}, show));
    return Outcome{.keys = written.keys, .bytes = written.bytes};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const RibbonFilter filter, builder.finish(show, &stop));
  std::string bytes;
  filter.serialize(bytes);
  Output output(STDOUT_FILENO);
  BLOOMERY_RETURN_IF_ERROR(output.write(bytes));
  BLOOMERY_RETURN_IF_ERROR(output.flush());
  return Outcome{.keys = filter.inserted(), .bytes = bytes.size()};
}

void summarize(const Outcome& outcome, double fpp, std::uint64_t given, std::uint64_t spooled) {
  const double keys = static_cast<double>(std::max<std::uint64_t>(outcome.keys, 1));
  warn("build",
       fmt::format("{} keys ({} given) into {} (ribbon), {:.2f} bits per key, fpp {}; {} spooled",
                   show_count(outcome.keys), show_count(given), show_size(outcome.bytes),
                   static_cast<double>(outcome.bytes) * 8 / keys, show_probability(fpp), show_size(spooled)));
}

// Far more keys than -n make larger shards: the answers stay right, the memory does not.
void warn_over_plan(const RibbonBuildOptions& build, std::uint64_t keys) {
  const std::uint64_t planned = build.capacity / build.parts;
  const std::uint64_t shards = std::max<std::uint64_t>(planned / kRibbonShardKeys, 1);
  if (build.capacity != 0 && keys > 2 * planned && keys / shards > 4 * kRibbonShardKeys) {
    warn("build",
         fmt::format("warning: made for {} keys, {} were in it: its shards, and the memory they took, are "
                     "larger than planned",
                     show_count(planned), show_count(keys)));
  }
}

int stopped() {
  warn("build", "stopped; nothing was written");
  return kInterrupted;
}

}  // namespace

Result<int> build_ribbon(const BuildOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const NewHash hash, new_hash(options));
  BLOOMERY_ASSIGN_OR_RETURN(const RibbonBuildOptions build, plan(options, hash.spec));
  // Bits per key are those of many keys where nobody has counted them.
  constexpr std::uint64_t kManyKeys = 1'000'000'000;
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp,
                            ribbon_fpp(build.capacity != 0 ? build.capacity : kManyKeys, options.size));
  BLOOMERY_ASSIGN_OR_RETURN(RibbonBuilder builder, RibbonBuilder::create(fpp, build));
  if (options.strict && build.capacity == 0) {
    return Error::invalid_argument("-n", "expected the most keys there may be, for --strict");
  }
  BLOOMERY_RETURN_IF_ERROR(state_needs(options, fpp, build));

  const std::atomic<bool>& stop = catch_stop_signals();
  InputFiles input(options.files, options.keys.line_delimiter(), &stop);
  KeyHasher hasher(build.filter.hash, build.filter.keys, options.keys.place());
  bool full = false;
  BLOOMERY_RETURN_IF_ERROR(
      for_each_key_batch("build", input, hasher, [&](const KeyBatch& batch) -> Result<bool> {
        full = options.strict && input.lines_read() > build.capacity;
        if (!full) {
          BLOOMERY_RETURN_IF_ERROR(builder.add(batch.hashes));
        }
        return !full;
      }));
  if (full) {
    warn("build", fmt::format("refused: more than the {} keys of -n (--strict); nothing was written",
                              show_count(build.capacity)));
    return static_cast<int>(kRefused);
  }
  if (stop) {
    return stopped();
  }
  const std::uint64_t spooled = builder.spooled_bytes();
  const std::uint64_t given = builder.added();
  BLOOMERY_RETURN_IF_ERROR(hash.save_key());
  const Result<Outcome> outcome = write_filter(options, builder, stop);
  if (!outcome) {
    hash.remove_key();
    return stop ? stopped() : Result<int>(outcome.error());
  }
  if (!options.no_summary) {
    summarize(*outcome, fpp, given, spooled);
  }
  warn_over_plan(build, outcome->keys);
  return static_cast<int>(kDone);
}

}  // namespace bloomery::cli
