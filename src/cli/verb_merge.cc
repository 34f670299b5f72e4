// bloomery merge: writes the union of filters that were made with the same plan.
#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "bloomery/filter/any_filter.h"
#include "cli/dialect_choice.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/lock_wait.h"
#include "cli/numbers.h"
#include "cli/output_file.h"
#include "cli/question_fpp.h"
#include "cli/stop_signal.h"
#include "cli/summary.h"
#include "cli/verbs.h"
#include "filter/any/static_part.h"

namespace bloomery::cli {
namespace {

constexpr const char* kMergeDescription =
    R"(Write the union of filters that were made to one plan (the same -n, -p, seed and key options).

  seq 1 500 | bloomery build -o odd.bloom -n 1000 -p 0.01; seq 501 1000 | bloomery build -o even.bloom -n 1000 -p 0.01
  bloomery merge -o all.bloom odd.bloom even.bloom      # byte for byte what one build of both gives

Parts of one ribbon or fuse filter (build -t ribbon --shards I/N) are joined; two over the same keys cannot be.
Parts of range files (build --partition) are joined the same way, to the bytes of a single build.
Filters of other systems (--dialect) are united by the rule of their own.)";

// Returns true if join_parts() applies, because the first file is a part of a distributed build.
bool are_parts(const std::vector<std::string>& files) {
  return !spread_file_kind(FileSystem::real(), files.front()).empty();
}

// The last step of a distributed build: joins all parts of a static filter.
Status join_parts(const std::vector<std::string>& parts, const std::string& path, const OutputFile& output) {
  return join_static_parts(FileSystem::real(), parts, path, output.save_to(catch_stop_signals()));
}

struct MergeOptions {
  std::string output;
  bool force = false;
  LockWait wait;
  SummaryChoice summary;
  DialectChoice dialect;
  std::vector<std::string> filters;
};

// Returns the output's name for messages.
std::string shown_output(const MergeOptions& options) {
  return options.output == "-" ? "standard output" : options.output;
}

// Prints the summary of the joined filter.
template <typename Filter>
void summarize_joined(const MergeOptions& options, const Filter& whole) {
  warn("merge", fmt::format("{} in {}, {} of {} shards, fpp {}", show_count_of(whole.inserted(), "key"),
                            shown_output(options), show_count(whole.held_shards()),
                            show_count(whole.shard_count()), show_probability(whole.target_fpp())));
}

Status summarize_joined_file(const MergeOptions& options) {
  if (!options.summary.wanted()) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(
      const AnyFilter whole,
      AnyFilter::open(options.output, {.recorded_keys = RecordedKeys::kKnown, .without_secret = true}));
  if (const auto* const fuse = std::get_if<FuseFilter>(&whole.variant())) {
    summarize_joined(options, *fuse);
  } else {
    summarize_joined(options, std::get<RibbonFilter>(whole.variant()));
  }
  return {};
}

// Joins parts in memory, because damage must be detected before any byte is written to standard output.
template <typename Filter>
Status stream_joined(const MergeOptions& options, const std::vector<AnyFilter>& opened,
                     const std::vector<const Filter*>& parts, const OutputFile& output) {
  BLOOMERY_ASSIGN_OR_RETURN(const Filter whole, Filter::concatenate(parts));
  for (std::size_t i = 0; i < opened.size(); ++i) {
    BLOOMERY_RETURN_IF_ERROR(in_file(opened[i].native().file_status(), options.filters[i]));
  }
  BLOOMERY_RETURN_IF_ERROR(output.write(whole, catch_stop_signals()));
  if (options.summary.wanted()) {
    summarize_joined(options, whole);
  }
  return {};
}

// Joins the parts of one static filter; different ones have no union. If the output is a file, the parts are
// not copied to memory.
template <typename Filter>
Status merge_static(const MergeOptions& options, const OutputFile& output, const char* noun) {
  std::vector<AnyFilter> opened;
  std::vector<const Filter*> parts;
  opened.reserve(options.filters.size());
  for (const std::string& name : options.filters) {
    BLOOMERY_ASSIGN_OR_RETURN(AnyFilter filter, AnyFilter::open(name, {.recorded_keys = RecordedKeys::kKnown,
                                                                       .without_secret = true}));
    opened.push_back(std::move(filter));
    const auto* const part = std::get_if<Filter>(&opened.back().variant());
    if (part == nullptr) {
      return Error::invalid_argument(name, std::string("expected a part of a ") + noun + " like " +
                                               options.filters.front() + ", found a filter of type " +
                                               opened.back().type_name());
    }
    parts.push_back(part);
  }
  if (output.is_standard_output()) {
    return stream_joined<Filter>(options, opened, parts, output);
  }
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_RETURN_IF_ERROR(Filter::concatenate(parts, options.output, output.save_to(stop)));
  return summarize_joined_file(options);
}

// Merges the other filters into the first one, by the rule of their system.
Status merge_dialects(const MergeOptions& options, const OutputFile& output, const std::string& dialect) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.dialect.memory());
  BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<DialectFilter> merged,
                            open_dialect(options.filters.front(), dialect, memory));
  BLOOMERY_RETURN_IF_ERROR(merged->check_path(options.output));
  for (std::size_t i = 1; i < options.filters.size(); ++i) {
    const std::string& name = options.filters[i];
    BLOOMERY_ASSIGN_OR_RETURN(const std::optional<std::string> other, options.dialect.of_file(name));
    if (!other) {
      return Error::invalid_argument(name,
                                     "expected a filter of " + merged->dialect() + ", found one of ours");
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<DialectFilter> part, open_dialect(name, *other, memory));
    if (const Status united = merged->merge(*part); !united) {
      return cannot_do(united.error()).in_file(options.filters.front() + " and " + name);
    }
    if (const Status whole = part->file_status(); !whole) {
      return whole.error().in_file(name);
    }
  }
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_RETURN_IF_ERROR(output.write(*merged, stop));
  if (options.summary.wanted()) {
    warn("merge",
         fmt::format("{} in {} ({}), fpp {}", show_count_of(options.filters.size(), "filter"),
                     shown_output(options), merged->dialect(), show_probability(merged->current_fpp())));
  }
  return {};
}

// Opens a filter to be merged. If another process is updating it in place, waits for the end of the update,
// because until then the file may have only some bits of a key.
Result<AnyFilter> open_operand(const MergeOptions& options, const std::string& name, Access access) {
  for (;;) {
    Result<AnyFilter> opened = AnyFilter::open(name, {.access = access,
                                                      .recorded_keys = RecordedKeys::kKnown,
                                                      .while_updated = WhileUpdated::kRefuse,
                                                      .without_secret = true});
    if (opened || opened.error().errno_value() != EWOULDBLOCK) {
      return opened;
    }
    BLOOMERY_RETURN_IF_ERROR(options.wait.until_free("merge", name, nullptr));
  }
}

// Merges the filter `name` into `merged`, and adds the number of exceptions that only `name` has to
// `exceptions`.
Status merge_operand(const MergeOptions& options, const std::string& name, AnyFilter& merged,
                     std::uint64_t& exceptions) {
  // If a type's updates only set bits, an update that starts during the merge is harmless. Other types are
  // copied first.
  const FilterType type = merged.native().type();
  const bool only_sets_bits = type != FilterType::kCounting && type != FilterType::kWindowed;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const AnyFilter part,
                              open_operand(options, name, only_sets_bits ? Access::kMap : Access::kCopy));
    const std::vector<Hash128> of_part = part.native().exceptions();
    const auto more = static_cast<std::uint64_t>(std::ranges::count_if(
        of_part, [&merged](const Hash128& hash) { return !merged.native().is_exception(hash); }));
    if (const Status status = merged.merge(part); !status) {
      if (status.error().errno_value() == EWOULDBLOCK) {
        continue;  // an update has begun since the filter was opened; nothing was merged yet, so try again
      }
      return status.error().in_file(options.filters.front() + " and " + name);
    }
    exceptions += more;
    return in_file(part.native().file_status(), name);
  }
}

Status merge(const MergeOptions& options) {
  if (options.output == "-") {
    BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input("-", options.filters));
  }
  // The output is claimed before any filter is read, because it may be one of them.
  BLOOMERY_ASSIGN_OR_RETURN(
      const OutputFile output,
      OutputFile::claim("merge", options.output, options.force, options.wait, options.dialect.given()));
  if (are_parts(options.filters)) {
    if (output.is_standard_output()) {
      return Error::invalid_argument(
          "-o",
          "expected a file for the parts of range files, which are joined on disk, found standard output");
    }
    BLOOMERY_RETURN_IF_ERROR(join_parts(options.filters, options.output, output));
    return summarize_joined_file(options);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<std::string> dialect,
                            options.dialect.of_file(options.filters.front()));
  if (dialect) {
    return merge_dialects(options, output, *dialect);
  }
  {
    BLOOMERY_ASSIGN_OR_RETURN(const AnyFilter first,
                              AnyFilter::open(options.filters.front(), {.verify = Verify::kHeaderOnly,
                                                                        .recorded_keys = RecordedKeys::kKnown,
                                                                        .without_secret = true}));
    if (first.is_static()) {
      return first.native().type() == FilterType::kRibbon
                 ? merge_static<RibbonFilter>(options, output, "ribbon")
                 : merge_static<FuseFilter>(options, output, "fuse filter");
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter merged, open_operand(options, options.filters.front(), Access::kCopy));
  std::uint64_t exceptions = merged.native().exception_count();
  for (std::size_t i = 1; i < options.filters.size(); ++i) {
    BLOOMERY_RETURN_IF_ERROR(merge_operand(options, options.filters[i], merged, exceptions));
  }
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_RETURN_IF_ERROR(output.write(merged.native(), stop));
  if (options.summary.wanted()) {
    warn("merge", fmt::format("{} in {}, fpp {}", show_count_of(merged.native().inserted(), "key"),
                              shown_output(options), show_fpp(merged)));
  }
  if (const std::uint64_t kept = merged.native().exception_count(); kept != exceptions) {
    warn("merge", fmt::format("{} of {} exceptions kept, those that every part denies; give the others to "
                              "except again",
                              show_count(kept), show_count(exceptions)));
  }
  warn_over_capacity("merge", merged);
  return {};
}

}  // namespace

void add_merge_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("merge", kMergeDescription);
  const auto options = std::make_shared<MergeOptions>();
  verb->add_option("-o,--output", options->output, "the filter to write; - is standard output")->required();
  verb->add_flag("--force", options->force, "replace an existing filter, or an empty file");
  options->wait.add_to(*verb);
  options->summary.add_to(*verb);
  verb->add_option("FILTER", options->filters, "the filters to unite")->required();
  options->dialect.add_to(*verb);
  options->dialect.add_memory_to(*verb);
  verb->callback([options, &exit_status] {
    const Status status = merge(*options);
    exit_status = status ? static_cast<int>(kDone) : report("merge", status.error());
  });
}

}  // namespace bloomery::cli
